import { defaultProject, getMethod, systemProject, type EntityJson, type Json } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findEntity, hasPlatformOwner, lockSetUp, storeFaults } from "@cloudwright/store";
import type { Call, Caller } from "./calls/caller.ts";
import type { ApiDeps } from "./deps.ts";
import { invoke } from "./calls/invoke.ts";
import { textAt } from "./entities/json-tree.ts";

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
 * Makes what must exist: the projects and, while nobody owns the platform, the first user with a key and the owner's role. What owners
 * took away later does not come back. Answers the first user's key when it was made now. With `renew` it is replaced by a new one: who
 * holds the home holds the platform, also after the key file was lost.
 */
export async function foundPlatform(deps: ApiDeps, options: { renew: boolean }): Promise<string | undefined> {
  // Replicas that start together found one after the other: the second must not take the first one's key for a lost one.
  return deps.pool.transaction(async (database) => {
    await lockSetUp(database);
    return foundAlone(deps, options);
  });
}

async function foundAlone(deps: ApiDeps, options: { renew: boolean }): Promise<string | undefined> {
  const call: Call = { caller: platform, source: "local", requestId: "start" };
  const create = async (kind: string, project: string, entity: Json): Promise<EntityJson | undefined> => {
    try {
      const answer = await invoke(deps, call, getMethod(kind, "create"), { project, entity });
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
  if (await hasPlatformOwner(deps.pool)) return options.renew ? renewFirstKey(deps, call) : undefined;
  await ensure(deps, "User", "", admin, () =>
    create("User", "", { metadata: { name: admin }, spec: { displayName: "First administrator" } }),
  );
  const key = await create("ApiKey", "", {
    metadata: { name: firstKey },
    spec: { user: admin, description: "made at the first start" },
  });
  // The role comes last: a start that dies before it begins anew with the next.
  await ensure(deps, "RoleBinding", systemProject, admin, () =>
    create("RoleBinding", systemProject, { metadata: { name: admin }, spec: { user: admin, role: "owner" } }),
  );
  return key === undefined ? renewFirstKey(deps, call) : textAt(key.status, "key");
}

/** A new first key in place of one that nobody has; only while it is still the first user's, so that nobody else's key is taken. */
async function renewFirstKey(deps: ApiDeps, call: Call): Promise<string | undefined> {
  const user = await findEntity(deps.pool, { kind: "User", project: "", namingScope: "", ref: admin });
  const key = await findEntity(deps.pool, { kind: "ApiKey", project: "", namingScope: "", ref: firstKey });
  if (user === undefined || key === undefined || key.parent_uid !== user.uid) {
    deps.log.warn("the admin key cannot be renewed: the first user or its key was deleted");
    return undefined;
  }
  const renewed = await invoke(deps, call, getMethod("ApiKey", "rotate"), { name: firstKey });
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
