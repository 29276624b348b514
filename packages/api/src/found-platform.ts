import { defaultProject, getMethod, systemProject, type EntityJson, type Json } from "@cloudwright/contract";
import { Fault } from "@cloudwright/platform";
import { findEntity, hasPlatformOwner, lockSetUp, storeFaults } from "@cloudwright/store";
import type { Call, Caller } from "./calls/authorise.ts";
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
 * Creates the built-in projects. If nobody owns the platform yet, also creates the first user with an API key and the owner role. Roles
 * that owners removed later are not restored. Returns the first user's key if this call created or replaced it. `renew` replaces the key,
 * so that anyone with access to the home directory can recover from a lost key file.
 */
export async function foundPlatform(deps: ApiDeps, options: { renew: boolean }): Promise<string | undefined> {
  // Replicas that start at the same time take turns. Otherwise, the second replica would assume that the key created by the first one was
  // lost.
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
      spec: { displayName: "System", description: "Roles granted here apply to every project" },
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
    spec: { user: admin, description: "created at the first start" },
  });
  // The role binding is created last. If startup is interrupted before that, the next start repeats all steps.
  await ensure(deps, "RoleBinding", systemProject, admin, () =>
    create("RoleBinding", systemProject, { metadata: { name: admin }, spec: { user: admin, role: "owner" } }),
  );
  return key === undefined ? renewFirstKey(deps, call) : textAt(key.status, "key");
}

/** Replaces the first user's key. Does nothing if the first user was deleted or the key belongs to another user. */
async function renewFirstKey(deps: ApiDeps, call: Call): Promise<string | undefined> {
  const user = await findEntity(deps.pool, { kind: "User", project: "", namingScope: "", ref: admin });
  const key = await findEntity(deps.pool, { kind: "ApiKey", project: "", namingScope: "", ref: firstKey });
  if (user === undefined || key === undefined || key.parent_uid !== user.uid) {
    deps.log.warn("the admin key cannot be renewed because the first user or its key was deleted");
    return undefined;
  }
  const renewed = await invoke(deps, call, getMethod("ApiKey", "rotate"), { name: firstKey });
  return textAt(JSON.parse(renewed.body) as Json, "status", "key");
}

/** Creates an entity unless it exists. Looks it up first, so that restarts do not leave failed creations in the audit log. */
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
