import { createUid, systemClock } from "@cloudwright/platform";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from "jose";
import type { TestApi } from "./test-api.ts";

/** An agent that has joined a project. */
export interface TestAgent {
  readonly uid: string;
  readonly name: string;
  readonly project: string;
  readonly publicKey: string;
  /** Signs a token. A token signed with the default arguments is valid. */
  sign(claims?: JWTPayload, header?: { alg?: string; typ?: string; kid?: string }, key?: CryptoKey): Promise<string>;
}

export async function createAgentKey(): Promise<{ privateKey: CryptoKey; publicKey: string }> {
  const { privateKey, publicKey } = await generateKeyPair("EdDSA", { crv: "Ed25519" });
  const { kty, crv, x } = await exportJWK(publicKey);
  return { privateKey, publicKey: JSON.stringify({ kty, crv, x }) };
}

export async function createJoinToken(api: Pick<TestApi, "must">, project: string, ttlSeconds = 0): Promise<string> {
  const { body } = await api.must("POST", `/v1/projects/${project}/jointokens`, { body: { ttlSeconds } });
  return (body as unknown as { joinToken: string }).joinToken;
}

/** Registers an agent in a project, using a new join token. */
export async function joinTestAgent(api: TestApi, project: string, name: string): Promise<TestAgent> {
  const { privateKey, publicKey } = await createAgentKey();
  const body = { joinToken: await createJoinToken(api, project), name, publicKey, version: "1.2.3" };
  const { metadata } = (await api.must("POST", "/v1/join", { body, key: undefined })).body;
  const uid = metadata.uid ?? "";
  return {
    uid,
    name,
    project,
    publicKey,
    sign(claims = {}, header = {}, key = privateKey) {
      const iat = Math.floor(systemClock.now() / 1000);
      const good = {
        iss: "cloudwright-agent",
        sub: uid,
        aud: "cloudwright",
        jti: createUid(systemClock.now()),
        iat,
        exp: iat + 300,
      };
      const payload = Object.fromEntries(Object.entries({ ...good, ...claims }).filter(([, value]) => value !== undefined));
      return new SignJWT(payload).setProtectedHeader({ alg: "EdDSA", typ: "agent+jwt", kid: uid, ...header }).sign(key);
    },
  };
}

/** A request for tasks by an agent that can run every task. */
export const anyWork = {
  longLane: 10,
  shortLane: 10,
  labels: { cloud: "*", account: "*", region: "*" },
  types: ["*"],
  minPayloadVersion: 1,
  maxPayloadVersion: 2,
  version: "1.2.3",
  waitSeconds: 0,
};
