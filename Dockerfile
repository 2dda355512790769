FROM node:24.11-slim
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY src src
COPY loadtests loadtests
USER node
EXPOSE 3000
CMD ["node", "src/server.js"]
