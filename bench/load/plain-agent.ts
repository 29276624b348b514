import { generateKeyPairSync, randomUUID, sign, type KeyObject } from "node:crypto";
import { systemClock } from "@cloudwright/platform";
import type { BenchPlatform } from "../processes/bench-platform.ts";
import { expectStatus, openConnection, type Connection } from "./connection.ts";

/** A leased task as an agent receives it. */
export interface GivenTask {
  readonly uid: string;
  readonly type: string;
  readonly entityName: string;
  readonly leaseToken: string;
  readonly payload: { readonly entity: { readonly spec: object } };
}

/** A minimal agent that serves all projects. It implements the protocol, but stores nothing and runs nothing. */
export interface PlainAgent {
  /** Waits until the server leases a task to this agent. */
  takeTask(): Promise<GivenTask>;
  /** Requests access to the Terraform state of the task's entity. */
  openState(task: GivenTask): Promise<OpenedState>;
  /** Completes a task with the given outputs. */
  finish(task: GivenTask, outputs: object): Promise<void>;
  /** Sends a heartbeat that lists no tasks. */
  beat(): Promise<void>;
  close(): void;
}

/** Address of a Terraform state, and the credentials to access it. */
export interface OpenedState {
  readonly address: string;
  readonly username: string;
  readonly password: string;
}

const waitSeconds = 20;

/** Registers an agent. Like a real agent, it polls and reports on separate connections. */
export async function joinPlainAgent(platform: Pick<BenchPlatform, "server" | "adminKey">, name: string): Promise<PlainAgent> {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const admin = openConnection(platform.server.url, platform.adminKey);
  const issued = expectStatus(await admin.send("POST", "/v1/projects/system/jointokens", {}), 200, 201);
  const { joinToken } = JSON.parse(issued.body) as { joinToken: string };
  const { kty, crv, x } = publicKey.export({ format: "jwk" });
  const request = { joinToken, name, publicKey: JSON.stringify({ kty, crv, x }), version: "1.0.0" };
  const joined = expectStatus(await admin.send("POST", "/v1/join", request), 200, 201);
  admin.close();
  const { uid } = (JSON.parse(joined.body) as { metadata: { uid: string } }).metadata;
  const token = signToken(uid, privateKey);
  const polls: Connection = openConnection(platform.server.url, token);
  const reports: Connection = openConnection(platform.server.url, token);
  return {
    async takeTask() {
      for (;;) {
        const answer = expectStatus(await polls.send("POST", "/v1/worker/tasks", leaseRequest), 200);
        const [task] = (JSON.parse(answer.body) as { tasks: GivenTask[] }).tasks;
        if (task !== undefined) return task;
      }
    },
    async openState({ uid: task, leaseToken }) {
      const answer = await reports.send("POST", "/v1/worker/state", { uid: task, leaseToken });
      return JSON.parse(expectStatus(answer, 200).body) as OpenedState;
    },
    async finish({ uid: task, leaseToken }, outputs) {
      const answer = await reports.send("POST", "/v1/worker/finish", { uid: task, leaseToken, outcome: "done", outputs });
      if (!expectStatus(answer, 200).body.includes("true")) throw new Error("a finished task was not accepted");
    },
    async beat() {
      expectStatus(await reports.send("POST", "/v1/worker/heartbeat", { tasks: [] }), 200);
    },
    close() {
      polls.close();
      reports.close();
    },
  };
}

const leaseRequest = {
  longLane: 1,
  shortLane: 1,
  labels: { cloud: "*", account: "*", region: "*" },
  types: ["*"],
  minPayloadVersion: 1,
  maxPayloadVersion: 2,
  version: "1.0.0",
  waitSeconds,
};

/** Signs a token that is valid for five minutes, which is long enough for one benchmark. */
function signToken(uid: string, key: KeyObject): string {
  const iat = Math.floor(systemClock.now() / 1000);
  const header = { alg: "EdDSA", typ: "agent+jwt", kid: uid };
  const claims = { iss: "cloudwright-agent", sub: uid, aud: "cloudwright", jti: randomUUID(), iat, exp: iat + 300 };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${sign(null, Buffer.from(text), key).toString("base64url")}`;
}
