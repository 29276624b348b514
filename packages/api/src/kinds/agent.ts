import { authorise, denied } from "../calls/caller.ts";
import type { KindRules } from "./kind-rules.ts";

export const agentRules: KindRules = {
  authorise(call, method, project) {
    const reach = authorise(call, method, project);
    // Setting an agent's key gives access to the tasks of the whole project.
    if (!reach.all && (method.verb === "create" || method.verb === "update"))
      throw denied(method, `in the whole of project "${project}"`);
    return reach;
  },
};
