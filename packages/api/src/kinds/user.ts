import type { KindRules } from "./kind-rules.ts";

export const userRules: KindRules = {
  changesRightsOf: (change, caller) => change.uid === caller.userUid,
};
