import type { KindRules } from "./kind-rules.ts";

export const roleBindingRules: KindRules = {
  changesRightsOf(change, caller) {
    const { spec } = JSON.parse(change.object) as { spec?: { user?: string } };
    return spec?.user === caller.user;
  },
};
