import manifest from "../package.json" with { type: "json" };

/** The agent's release version. */
export const release = manifest.version;
