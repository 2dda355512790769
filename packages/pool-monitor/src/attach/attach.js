// For `node --import mongodb-pool-monitor/attach app.js`.
import './attach.cjs';
