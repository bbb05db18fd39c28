# Zoneform in a container: by default its emulator, and with arguments any command. docs/emulator.md#in-a-container says how
# to reach it. The build context is the package: a checkout after `npm run build`, or node_modules/zoneform.
FROM node:22-alpine

# Where states can be kept needs packages that the bundle does not have: the optional peers, in the versions that are tested.
RUN npm install --prefix /opt --no-save --no-package-lock --ignore-scripts --no-audit --no-fund \
    @aws-sdk/client-s3@3.1169.0 \
    pg@8.23.1 \
  && npm cache clean --force

WORKDIR /opt/zoneform
COPY package.json LICENSE ./
COPY dist/zoneform.js dist/validators.js dist/LICENSES.txt ./dist/
COPY dist/chunks ./dist/chunks/
COPY schemas ./schemas/
COPY examples ./examples/

# For --persist; a volume that is mounted here belongs to the same user.
RUN mkdir /data && chown node:node /data
WORKDIR /data
USER node

# Any answer says that it lives: this one is a refusal, because it brings no token.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8787/client/v4/zones').then(() => process.exit(0), () => process.exit(1))"]

EXPOSE 8787
ENTRYPOINT ["node", "/opt/zoneform/dist/zoneform.js"]
CMD ["emulator", "--port", "8787"]
