import type { CloudRules } from "../cloud-rules.ts";

export const gcpRules: CloudRules = {
  accountRules: {},
  listNetworkSettings: () => [],
  patternWords: {
    "^([a-z][a-z0-9-]{4,28}[a-z0-9])?$":
      "be the id of a Google Cloud project: 6 to 30 lower-case letters, digits and dashes, starting with a letter and not ending with a dash",
  },
};
