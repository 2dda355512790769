// Runs before the monitor: loads the driver and creates a client.
const mongodb = require('mongodb');
const { createEarly } = require('./clients.cjs');

createEarly(mongodb);
