import manifest from "../package.json" with { type: "json" };

/** The release of this agent. */
export const release = manifest.version;
