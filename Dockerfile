# syntax=docker/dockerfile:1
ARG NODE_IMAGE=node:22-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY shared/ shared/
COPY producers/ producers/
COPY workers/ workers/
COPY scripts/ scripts/
RUN npm run build && npm prune --omit=dev

FROM ${NODE_IMAGE}
# The second and third keep resident memory near what is held: young objects and malloc's arenas take tens of MB less.
ENV NODE_ENV=production \
    NODE_OPTIONS=--max-semi-space-size=4 \
    MALLOC_ARENA_MAX=2 \
    HALTLINE_LOG_FORMAT=json \
    HALTLINE_RESULTS_DIR=/results
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules/ node_modules/
COPY --from=build /app/dist/ dist/
# What `run` starts its own workers with.
COPY --from=build /app/scripts/haltline.mjs /app/scripts/with-dependencies.mjs scripts/
# A new named volume takes its owner from the image's folder.
RUN install -d -o node -g node /results
USER node
ENTRYPOINT ["node", "dist/scripts/haltline.js"]
CMD ["--help"]
