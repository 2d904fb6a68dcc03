# `build` holds everything. The image holds what the server and its commands read: `latchkey quota show`.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --include=dev
COPY . .
RUN npm run build
RUN node app/commands/assemble.mjs assembled
# A checkout may be closed to everybody but who made it; the server's user has to read it.
RUN find . ! -perm -044 -exec chmod go+rX {} +

# Of Node the program alone: npm, yarn and the headers would be a quarter of the image.
FROM debian:bookworm-20260918-slim
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /build/assembled /latchkey
RUN useradd --system --uid 10001 --no-create-home latchkey && install -d -o latchkey -m 700 /data
RUN ln -s /latchkey/app/commands/latchkey.mjs /usr/local/bin/latchkey
ENV HOST=0.0.0.0 DATA_DIR=/data PORT=3000
USER 10001
WORKDIR /latchkey
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "app/commands/start.mjs"]
