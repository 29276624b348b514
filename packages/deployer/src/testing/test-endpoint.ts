import { Secret } from "@cloudwright/platform";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { JsonObject, StateAccess } from "../task.ts";
import type { PlanCounts } from "../executor/describe-plan.ts";

/** A plan as the door was given it. */
export interface StoredPlan {
  readonly serial: number;
  readonly lineage: string;
  readonly counts: PlanCounts;
  readonly changes: readonly JsonObject[];
  readonly drift: readonly JsonObject[];
  readonly parcel: string;
  /** Who took it; it is handed out once. */
  isTaken: boolean;
  needsApproval: boolean;
}

/** States and plans of entities, in memory, behind the control plane's addresses. */
export interface TestDoor {
  access(entityUid: string): StateAccess;
  state(entityUid: string): string | undefined;
  putState(entityUid: string, text: string): void;
  /** The id of the lock that is held. */
  lock(entityUid: string): string | undefined;
  readonly plans: Map<string, StoredPlan>;
  /** What is asked, `METHOD /path`, in order. */
  readonly asked: string[];
  /** Answers such requests with this status, once each. */
  refuse(request: string, status: number): void;
  close(): Promise<void>;
}

const password = "a-password-of-the-test-door";

/** Starts a door on a free port of this machine. */
export async function startTestDoor(): Promise<TestDoor> {
  const states = new Map<string, string>();
  const locks = new Map<string, string>();
  const plans = new Map<string, StoredPlan>();
  const refused = new Map<string, number>();
  const asked: string[] = [];

  const answerState = (method: string, uid: string, body: string): [number, string] => {
    const { ID: id = "" } = method.endsWith("LOCK") ? (JSON.parse(body) as { ID?: string }) : {};
    const held = locks.get(uid);
    switch (method) {
      case "LOCK":
        if (held !== undefined) return [423, JSON.stringify({ ID: held })];
        locks.set(uid, id);
        return [200, ""];
      case "UNLOCK":
        if (held !== id) return [409, ""];
        locks.delete(uid);
        return [200, ""];
      case "POST":
        states.set(uid, body);
        return [200, ""];
      default:
        return states.has(uid) ? [200, states.get(uid) ?? ""] : [204, ""];
    }
  };
  const answerPlan = (method: string, uid: string, body: string): [number, string | Buffer] => {
    const plan = plans.get(uid);
    if (method === "PUT") {
      if (plan?.isTaken === true) return [409, ""];
      plans.set(uid, { ...(JSON.parse(body) as StoredPlan), isTaken: false, needsApproval: false });
      return [204, ""];
    }
    if (plan === undefined) return [404, ""];
    if (plan.isTaken) return [410, ""];
    if (plan.needsApproval) return [409, ""];
    plan.isTaken = true;
    return [200, Buffer.from(plan.parcel, "base64")];
  };

  const server = createServer((request, response) => {
    void (async () => {
      const { method = "", url = "" } = request;
      const body = await text(request);
      const path = url.replace(/\?.*/, "");
      asked.push(`${method} ${path}`);
      const status = refused.get(`${method} ${path}`);
      refused.delete(`${method} ${path}`);
      const [, entity = "", plan] = /^\/v1\/states\/([^/]+)(?:\/plans\/([^/]+))?$/.exec(path) ?? [];
      if (request.headers.authorization !== `Basic ${Buffer.from(`${entity}:${password}`).toString("base64")}`) {
        return response.writeHead(401).end();
      }
      if (status !== undefined) return response.writeHead(status).end();
      const [code, answer] = plan === undefined ? answerState(method, entity, body) : answerPlan(method, plan, body);
      return response.writeHead(code).end(answer);
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/states`;
  return {
    access(uid) {
      const address = `${base}/${uid}`;
      return { address, lockAddress: address, unlockAddress: address, username: uid, password: new Secret(password) };
    },
    state: (uid) => states.get(uid),
    putState: (uid, state) => void states.set(uid, state),
    lock: (uid) => locks.get(uid),
    plans,
    asked,
    refuse: (request, status) => void refused.set(request, status),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
