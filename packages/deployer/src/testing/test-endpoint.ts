import { Secret } from "@cloudwright/platform";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { JsonObject, StateAccess } from "../task.ts";
import type { PlanCounts } from "../executor/describe-plan.ts";

export interface StoredPlan {
  readonly serial: number;
  readonly lineage: string;
  readonly counts: PlanCounts;
  readonly changes: readonly JsonObject[];
  readonly drift: readonly JsonObject[];
  readonly upgradedFrom?: string;
  readonly parcel: string;
  /** True once an apply has taken the plan. A plan can be taken only once. */
  isTaken: boolean;
  needsApproval: boolean;
}

/** An in-memory endpoint for states and plans, with the same URL paths as the control plane. */
export interface TestEndpoint {
  access(entityUid: string): StateAccess;
  state(entityUid: string): string | undefined;
  putState(entityUid: string, text: string): void;
  /** Deletes the state, as if it were lost. */
  dropState(entityUid: string): void;
  /** Returns the lock id, or undefined if the state is not locked. */
  lock(entityUid: string): string | undefined;
  readonly plans: Map<string, StoredPlan>;
  /** All requests in order of arrival, in the form `METHOD /path`. */
  readonly asked: string[];
  /** Makes the next matching request fail with this status. */
  refuse(request: string, status: number): void;
  /** Calls `hook` before and after each request is processed. If the hook returns false, the connection is closed without a response. */
  intercept(hook: RequestHook | undefined): void;
  close(): Promise<void>;
}

/** Returns false to close the connection before or after the request is processed. */
export type RequestHook = (method: string, moment: "before" | "after", path: string) => boolean;

const password = "a-password-of-the-test-endpoint";

/** Starts a test endpoint on a free local port. */
export async function startTestEndpoint(): Promise<TestEndpoint> {
  const states = new Map<string, string>();
  const locks = new Map<string, string>();
  const plans = new Map<string, StoredPlan>();
  const refused = new Map<string, number>();
  const asked: string[] = [];
  let hook: RequestHook = () => true;

  const answerState = (method: string, uid: string, body: string, lockId: string | null): [number, string] => {
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
        if (lockId !== null && lockId !== held) return [409, ""];
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
      const { pathname: path, searchParams: query } = new URL(url, "http://test");
      asked.push(`${method} ${path}`);
      const status = refused.get(`${method} ${path}`);
      refused.delete(`${method} ${path}`);
      const [, entity = "", plan] = /^\/v1\/states\/([^/]+)(?:\/plans\/([^/]+))?$/.exec(path) ?? [];
      if (request.headers.authorization !== `Basic ${Buffer.from(`${entity}:${password}`).toString("base64")}`) {
        return response.writeHead(401).end();
      }
      if (status !== undefined) return response.writeHead(status).end();
      if (!hook(method, "before", path)) return request.socket.destroy();
      const [code, answer] =
        plan === undefined ? answerState(method, entity, body, query.get("ID")) : answerPlan(method, plan, body);
      if (!hook(method, "after", path)) return request.socket.destroy();
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
    dropState: (uid) => void states.delete(uid),
    lock: (uid) => locks.get(uid),
    plans,
    asked,
    intercept: (next) => void (hook = next ?? (() => true)),
    refuse: (request, status) => void refused.set(request, status),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
