import { randomBytes } from "node:crypto";
import { createUid, Secret, type Clock } from "@cloudwright/platform";
import {
  createVersions,
  insertEntity,
  listSigningKeys,
  unseal,
  type ApiKeyInsert,
  type EntityInsert,
  type KeyRing,
  type Pool,
} from "@cloudwright/store";
import { importJWK, SignJWT, type CryptoKey, type JWK, type JWTPayload } from "jose";
import type { Gatekeeper } from "../calls/gatekeeper.ts";
import { createApiKey } from "./api-keys.ts";

/** Creates users, role bindings and API keys directly in the store, for tests that need callers. */
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

export function createTestKeyRing(): KeyRing {
  return { primary: "test", keys: new Map([["test", new Secret(randomBytes(32))]]) };
}

/** Signs arbitrary claims with the newest signing key. */
export function createForger(deps: { pool: Pool; keyRing: KeyRing; clock: Clock }) {
  const openSigner = async (): Promise<{ kid: string; key: CryptoKey; publicJwk: JWK; privateJwk: JWK }> => {
    const [row] = await listSigningKeys(deps.pool);
    if (row === undefined) throw new Error("no signing key has been created yet");
    const privateJwk = JSON.parse(unseal(deps.keyRing, row.kid, row.sealed)) as JWK;
    return { kid: row.kid, key: (await importJWK(privateJwk, "EdDSA")) as CryptoKey, publicJwk: row.public_jwk, privateJwk };
  };
  return {
    openSigner,
    /** Returns claims that the verifier accepts. */
    goodClaims(): JWTPayload {
      const iat = deps.clock.now() / 1000;
      const uid = createUid(deps.clock.now());
      const cap = { project: "", role: "" };
      return { iss: "cloudwright", aud: "cloudwright", sub: uid, jti: uid, iat, nbf: iat, exp: iat + 300, cap };
    },
    async forge(claims: JWTPayload, header: { alg?: string; typ?: string; kid?: string } = {}): Promise<string> {
      const { kid, key } = await openSigner();
      return new SignJWT(claims).setProtectedHeader({ alg: "EdDSA", typ: "cloudwright+jwt", kid, ...header }).sign(key);
    },
  };
}

export function kidOf(token: string): string {
  return (JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()) as { kid: string }).kid;
}

/** A gatekeeper without limits, for tests of individual routes. */
export const openGatekeeper: Pick<Gatekeeper, "lookUp"> = { lookUp: (_credential, _from, find) => find() };
