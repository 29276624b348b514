import { defaultProject, operations, systemProject, type EntityJson, type Json, type Operation } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findEntity, storeFaults } from "@cloudwright/store";
import type { Call, Caller } from "./caller.ts";
import type { ApiDeps } from "./deps.ts";
import { invoke } from "./invoke.ts";
import { textAt } from "./json-tree.ts";

const firstKey = "first-start";
const admin = "admin";

const platform: Caller = {
  userUid: "00000000-0000-0000-0000-000000000000",
  user: "platform",
  credential: "platform",
  credentialId: "start",
  keyUid: undefined,
  cap: { project: "", role: "" },
  grants: [{ project: systemProject, environment: "", role: "owner" }],
};

/**
 * Makes what must exist from the first start: the projects, the first user and its role. Answers the first user's key when it was made
 * now. With `renew` an earlier key is replaced: who holds the home holds the platform, also after the key file was lost.
 */
export async function foundPlatform(deps: ApiDeps, options: { renew: boolean }): Promise<string | undefined> {
  const call: Call = { caller: platform, source: "local", requestId: "start" };
  const create = async (kind: string, project: string, entity: Json): Promise<EntityJson | undefined> => {
    try {
      const answer = await invoke(deps, call, getOperation("create", kind), { project, entity });
      return JSON.parse(answer.body) as EntityJson;
    } catch (error) {
      if (error instanceof Fault && error.code === storeFaults.exists.code) return undefined;
      throw error;
    }
  };
  await ensure(deps, "Project", "", systemProject, () =>
    create("Project", "", {
      metadata: { name: systemProject },
      spec: { displayName: "System", description: "Roles given here reach every project" },
    }),
  );
  await ensure(deps, "Project", "", defaultProject, () =>
    create("Project", "", { metadata: { name: defaultProject }, spec: { displayName: "Default" } }),
  );
  await ensure(deps, "User", "", admin, () =>
    create("User", "", { metadata: { name: admin }, spec: { displayName: "First administrator" } }),
  );
  await ensure(deps, "RoleBinding", systemProject, admin, () =>
    create("RoleBinding", systemProject, { metadata: { name: admin }, spec: { user: admin, role: "owner" } }),
  );
  const made = await ensure(deps, "ApiKey", "", firstKey, () =>
    create("ApiKey", "", { metadata: { name: firstKey }, spec: { user: admin, description: "made at the first start" } }),
  );
  if (made !== undefined) return textAt(made.status, "key");
  if (!options.renew) return undefined;
  const renewed = await invoke(deps, call, getOperation("rotate", "ApiKey"), { name: firstKey });
  return textAt(JSON.parse(renewed.body) as Json, "status", "key");
}

/** Looks before it writes: a restart must leave no trace of failed creates in the audit log. */
async function ensure(
  deps: ApiDeps,
  kind: string,
  project: string,
  ref: string,
  create: () => Promise<EntityJson | undefined>,
): Promise<EntityJson | undefined> {
  const found = await findEntity(deps.pool, { kind, project, namingScope: "", ref });
  return found === undefined ? create() : undefined;
}

function getOperation(verb: string, kind: string): Operation {
  const operation = operations.find((candidate) => candidate.verb === verb && candidate.kind === kind);
  if (operation === undefined) throw new Error(`no operation ${verb} ${kind}`);
  return operation;
}
