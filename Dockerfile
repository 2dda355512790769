FROM node:24.11-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
# Only the lab and the command line need these.
RUN npm pkg delete \
      dependencies.artillery dependencies.autocannon dependencies.cli-progress dependencies.cli-table3 \
      dependencies.commander dependencies.marked dependencies.mongodb-gather dependencies.oplog-replicator \
      dependencies.ws dependencies.yaml \
  && npm install --omit=dev --no-save
COPY src src
USER node
EXPOSE 3000
CMD ["node", "src/server.js"]
