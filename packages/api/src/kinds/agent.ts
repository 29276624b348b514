import { authorise, denied } from "../calls/authorise.ts";
import type { KindRules } from "./kind-rules.ts";

export const agentRules: KindRules = {
  authorise(call, method, project) {
    const reach = authorise(call, method, project);
    // An agent's key gives access to every task in the project, so a role in a single environment is not enough.
    if (!reach.all && (method.verb === "create" || method.verb === "update"))
      throw denied(method, `in the entire project "${project}"`);
    return reach;
  },
};
