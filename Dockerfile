# The installed and built shop. How to run it: docs/operations.md.
# A test checks that the Node version equals the one in package.json.
FROM node:26.10.0-trixie-slim AS build
WORKDIR /app
# A separate layer for the packages, cached until the lock file changes.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund
COPY . .
# Remove the Node package from npm: the image has the same Node.
RUN npm run build && rm -rf node_modules/node-linux-* node_modules/.bin/node dist/node

FROM node:26.10.0-trixie-slim
COPY --from=build /app /app
RUN install --directory --owner=10001 --group=10001 --mode=700 /data
WORKDIR /app
USER 10001:10001
# NODE_ENV=production: without keys the shop starts only with SANDBOX=yes. MALLOC_…: see docs/decisions/009.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data MALLOC_ARENA_MAX=1 \
    MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["node", "deploy/healthy.ts"]
CMD ["node", "--no-parallel-scavenge", "--max-semi-space-size=8", "--max-old-space-size=512", "dist/shop/main.js"]
