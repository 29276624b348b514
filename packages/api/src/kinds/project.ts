import { systemProject, type Method } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { authorise, denied, hide, isHiddenDenial, reachesPlatform, requireCaller, type Call } from "../calls/authorise.ts";
import { invalid } from "../calls/decode.ts";
import { notFound } from "../entities/not-found.ts";
import type { KindRules } from "./kind-rules.ts";

export const projectRules: KindRules = {
  // Rights in a project are checked in `requireAccess`, once the project's name is known.
  authorise(call, method, project) {
    requireCaller(call);
    return method.platform ? authorise(call, method, project) : { all: true };
  },
  requireAccess: (call, method, row, ref) => requireRights(call, method, row.name, ref),
  limitToVisible(caller) {
    if (reachesPlatform(caller, "viewer")) return {};
    return { names: caller.grants.map((grant) => grant.project) };
  },
  requireDeletable(row) {
    if (row.name !== systemProject) return;
    const message = `the project "${systemProject}" contains the platform's own roles and cannot be deleted`;
    throw invalid("the request", [{ field: "name", message }]);
  },
  pausedProject: (row) => (row.name === systemProject ? undefined : row.name),
};

function requireRights(call: Call, method: Method, name: string, ref: string): void {
  if (method.platform) return;
  try {
    const reach = authorise(call, method, name);
    // Members of a single environment may view the project, but not change it.
    if (!reach.all && method.role !== "viewer") throw denied(method, `in the entire project "${name}"`);
  } catch (error) {
    if (error instanceof Fault && isHiddenDenial(error)) throw hide(notFound(method.kind, ref));
    throw error;
  }
}
