import { authorise, denied } from "../calls/caller.ts";
import type { KindRules } from "./kind-rules.ts";

export const agentRules: KindRules = {
  authorise(call, method, project) {
    const reach = authorise(call, method, project);
    // Whoever sets an agent's key receives the work of the whole project.
    if (!reach.all && (method.verb === "create" || method.verb === "update"))
      throw denied(method, `in the whole of project "${project}"`);
    return reach;
  },
};
