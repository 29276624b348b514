import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import type { Client } from "./client.ts";

/** An agent that a test registers through the API, without running the agent program. */
export interface JoinedAgent {
  readonly uid: string;
  /** Signs a token that becomes valid at `fromSeconds`. */
  signToken(fromSeconds: number, ttlSeconds?: number): string;
}

/** Joins a project as an agent. Agents of the `system` project serve all projects. */
export async function joinAgent(client: Client, project: string, name: string): Promise<JoinedAgent> {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const { kty, crv, x } = publicKey.export({ format: "jwk" });
  const made = await client.send("POST", `/v1/projects/${project}/jointokens`, {});
  const { joinToken } = made.body as { joinToken: string };
  const join = { joinToken, name, publicKey: JSON.stringify({ kty, crv, x }), version: "0.1.0" };
  const joined = await client.send("POST", "/v1/join", join);
  const { uid } = (joined.body as { metadata: { uid: string } }).metadata;
  return {
    uid,
    signToken(iat, ttlSeconds = 60) {
      const claims = { iss: "cloudwright-agent", sub: uid, aud: "cloudwright", iat, exp: iat + ttlSeconds, jti: randomUUID() };
      const parts = [{ alg: "EdDSA", typ: "agent+jwt", kid: uid }, claims];
      const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
      return `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`;
    },
  };
}
