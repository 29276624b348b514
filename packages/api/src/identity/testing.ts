import { randomBytes } from "node:crypto";
import type { KeyRing, Pool } from "@cloudwright/store";
import { createVersions, insertEntity, type ApiKeyInsert, type EntityInsert } from "@cloudwright/store";
import { createUid, Secret, type Clock } from "@cloudwright/platform";
import { createApiKey } from "./api-keys.ts";

/** Makes users, role bindings and API keys straight in the store, for suites that need somebody to be. */
export function createPeople(deps: { pool: Pool; clock: Clock }) {
  const versions = createVersions(deps.pool);
  const insert = async (
    entity: Pick<EntityInsert, "kind" | "name"> & Partial<EntityInsert>,
    spec: object,
    apiKey?: ApiKeyInsert,
  ): Promise<string> => {
    const uid = createUid(deps.clock.now());
    const row: EntityInsert = {
      project: "",
      namingScope: "",
      parentUid: null,
      subjectUid: null,
      environmentUid: null,
      environment: "",
      labels: {},
      sealed: null,
      ...entity,
      uid,
      resourceVersion: await versions.next(),
      at: new Date(deps.clock.now()).toISOString(),
      object: JSON.stringify({ metadata: { project: entity.project ?? "", name: entity.name, uid }, spec, status: {} }),
      ...(apiKey === undefined ? {} : { apiKey }),
    };
    await insertEntity(deps.pool, row, { changes: [], events: [], audits: [] });
    return uid;
  };
  return {
    createUser: (name: string, spec: { disabled?: boolean } = {}) => insert({ kind: "User", name }, spec),
    bindRole: (userUid: string, project: string, role: string) =>
      insert({ kind: "RoleBinding", project, name: `b-${randomBytes(6).toString("hex")}`, subjectUid: userUid }, { role }),
    async createKey(userUid: string, limits: { project?: string; role?: string; expiresAt?: string } = {}) {
      const { key, hash, prefix } = createApiKey();
      const row = { hash, prefix, project: limits.project ?? "", role: limits.role ?? "", expiresAt: limits.expiresAt ?? null };
      const uid = await insert({ kind: "ApiKey", name: `k-${randomBytes(6).toString("hex")}`, parentUid: userUid }, {}, row);
      return { uid, key: key.reveal(), prefix };
    },
  };
}

/** A key ring with one fresh key. */
export function createTestKeyRing(): KeyRing {
  return { primary: "test", keys: new Map([["test", new Secret(randomBytes(32))]]) };
}
