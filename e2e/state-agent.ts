import { systemClock } from "@cloudwright/platform";
import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createAdminCalls } from "./admin-calls.ts";
import type { RunningServer } from "./server.ts";

/** A run's access to its Terraform state. */
export interface StateAccess {
  readonly entityUid: string;
  /** Sends a request to the state endpoint of a running server. */
  send(server: RunningServer, method: string, body?: string, query?: string): Promise<Response>;
  /** Returns the environment variables that make Terraform use this state. */
  environment(server: RunningServer): Record<string, string>;
}

/** Creates an account, leases its task with plain HTTP requests, and opens the account's state. */
export async function openState(server: RunningServer, name: string): Promise<StateAccess> {
  const admin = createAdminCalls(server);
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const { kty, crv, x } = publicKey.export({ format: "jwk" });
  const { joinToken } = (await (await admin.send("POST", "/v1/projects/system/jointokens", {})).json()) as { joinToken: string };
  const { metadata } = await admin.create("/v1/join", {
    joinToken,
    name,
    publicKey: JSON.stringify({ kty, crv, x }),
    version: "0.1.0",
  });
  const nowSeconds = Math.floor(systemClock.now() / 1000);
  const claims = {
    iss: "cloudwright-agent",
    sub: metadata.uid,
    aud: "cloudwright",
    iat: nowSeconds,
    exp: nowSeconds + 300,
    jti: randomUUID(),
  };
  const parts = [{ alg: "EdDSA", typ: "agent+jwt", kid: metadata.uid }, claims];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const agent = createAdminCalls({
    ...server,
    adminKey: `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`,
  });

  await admin.create("/v1/projects/default/accounts", { metadata: { name }, spec: { simulated: true, aws: {} } });
  const leaseRequest = {
    shortLane: 1,
    labels: { cloud: "*", account: "*", region: "*" },
    types: ["*"],
    minPayloadVersion: 1,
    maxPayloadVersion: 2,
  };
  const leased = await agent.send("POST", "/v1/worker/tasks", { ...leaseRequest, waitSeconds: 30 });
  const [task] = ((await leased.json()) as { tasks: { uid: string; leaseToken: string; entityUid: string }[] }).tasks;
  if (task === undefined) throw new Error("no task was leased");
  const opened = await agent.send("POST", "/v1/worker/state", { uid: task.uid, leaseToken: task.leaseToken });
  const { address, username, password } = (await opened.json()) as { address: string; username: string; password: string };
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  return {
    entityUid: task.entityUid,
    send: (at, method, body, query = "") =>
      fetch(at.address + address + query, { method, headers: { authorization }, ...(body === undefined ? {} : { body }) }),
    environment: (at) => ({
      TF_HTTP_ADDRESS: at.address + address,
      TF_HTTP_LOCK_ADDRESS: at.address + address,
      TF_HTTP_UNLOCK_ADDRESS: at.address + address,
      TF_HTTP_USERNAME: username,
      TF_HTTP_PASSWORD: password,
      TF_HTTP_RETRY_MAX: "0",
    }),
  };
}
