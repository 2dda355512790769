# The app alone: neither the lab nor Artillery.
FROM node:24.19.0-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/pool-monitor packages/pool-monitor
COPY packages/pool-page packages/pool-page
COPY packages/pool-predictor packages/pool-predictor
RUN npm ci --omit=dev --include-workspace-root -w mongodb-pool-monitor -w mongodb-pool-page -w mongodb-pool-predictor
COPY src src
USER node
EXPOSE 3000
# Alive: an outage of MongoDB is no reason to replace it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/livez`).then((res) => process.exit(res.ok ? 0 : 1))"]
CMD ["node", "src/server.js"]
