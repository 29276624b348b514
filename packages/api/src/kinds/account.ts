import { cloudOf } from "@cloudwright/contract";
import type { KindRules } from "./kind-rules.ts";

export const accountRules: KindRules = {
  renderStatus: (spec, secretsSet) => ({ secretsSet, cloud: cloudOf(spec) ?? "" }),
};
