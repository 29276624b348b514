import { Fault } from "@cloudwright/platform";
import { giveLockBack, smallContentBytes, takeFreeLock, type StateRun } from "@cloudwright/store";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { createCallerTurns } from "../../calls/caller-turns.ts";
import { projectLimits } from "../../calls/document-turns.ts";
import { apiFaults } from "../../faults.ts";
import { awaitDelivery, isGone, sendBody } from "../delivery.ts";
import { rejectOtherMethods } from "../rest/reject-methods.ts";
import { admitRun, readCredential } from "./admit-run.ts";
import { awaitUpload, continueUpload, type UploadDeps } from "./await-upload.ts";
import { lockState, maxInfoBytes, readLockInfo, unlockState } from "./locks.ts";
import { planUrl, registerPlanRoutes, type PlanOptions } from "./plan-routes.ts";
import { deleteState, readNewest, requireLock, writeState } from "./versions.ts";

const url = "/v1/states/:uid";
const maxTries = 10;
/** Limits for reading one state. If a run does not read its responses, the limits bound how many of them the server keeps in memory. */
const readLimits = { running: 2, waiting: 100 };

/** Returns the URL path of an entity's state. */
export function statePath(entityUid: string): string {
  return `/v1/states/${entityUid}`;
}

/**
 * Serves Terraform's `http` backend to runs: GET, POST, DELETE, LOCK and UNLOCK, and the endpoint for saved plans. The credential is
 * checked before the body is read, and it is valid exactly as long as the task's lease.
 */
export function registerStateRoutes(
  app: FastifyInstance,
  deps: UploadDeps,
  options: Pick<PlanOptions, "approvalTtlMs"> & { readonly maxStateBytes: number },
): void {
  for (const method of ["LOCK", "UNLOCK"]) app.addHttpMethod(method, { hasBody: true });
  const reads = createCallerTurns(readLimits);
  const projectReads = createCallerTurns(projectLimits);
  const runs = new WeakMap<FastifyRequest, StateRun>();

  /** Reads the state and runs `act` on it. Retries if the state changed concurrently. */
  const settle = async <Result>(
    request: FastifyRequest,
    act: (run: StateRun) => Promise<Result | undefined>,
  ): Promise<Result> => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const known = tries === 0 ? runs.get(request) : undefined;
      const result = await act(known ?? (await admitRun(deps, request)));
      if (result !== undefined) return result;
    }
    throw new Fault(apiFaults.busy, "the state kept changing");
  };

  /** Admits a run before its body is read. A credential that this platform issued needs no lookup here, because the handler looks it up. */
  const admitBody = async (request: FastifyRequest): Promise<void> => {
    if (!deps.gatekeeper.isIssuedRun(readCredential(request))) await admitRun(deps, request);
  };

  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, parsed) => parsed(null, body));
    scope.addHook("onRequest", (_request, reply, next) => {
      void reply.header("cache-control", "no-store");
      next(deps.served.has("agents") ? undefined : new Fault(apiFaults.not_served, "this replica does not serve agents"));
    });
    scope.addHook("onError", (_request, reply, error, next) => {
      if (error instanceof Fault && error.kind === "unauthenticated")
        void reply.header("www-authenticate", 'Basic realm="terraform state"');
      next();
    });

    scope.get(url, async (request, reply) => {
      const { uid } = request.params as { uid: string };
      const isCallerGone = (): boolean => isGone(reply.raw);
      const deliver = async (run: StateRun): Promise<void> => {
        const found = await readNewest(deps, run);
        if (found === undefined) return void reply.code(204).send();
        void reply.header("content-md5", found.md5.toString("base64"));
        sendBody(reply.type("application/json"), found.content);
        await awaitDelivery(reply.raw, found.content.length);
      };
      const read = async (): Promise<void> => {
        const run = await admitRun(deps, request, "small");
        if (run.content.size <= smallContentBytes) return deliver(run);
        const readLarge = async (): Promise<void> => deliver(await admitRun(deps, request, "content"));
        return projectReads.run(run.state.project, readLarge, isCallerGone);
      };
      // The key includes the credential, so that callers without a valid one cannot use up a run's turns.
      await reads.run(`${uid} ${request.headers.authorization ?? ""}`, read, isCallerGone);
      return reply;
    });
    scope.route({
      method: "POST",
      url,
      bodyLimit: options.maxStateBytes,
      // Authenticate and check the lock before reading the body, so that other callers cannot make the server read large bodies.
      onRequest: async (request, reply) => {
        const run = await admitRun(deps, request);
        requireLock(run, lockOf(request));
        runs.set(request, run);
        await awaitUpload(deps, request, reply, run);
      },
      handler: async (request, reply) => {
        using _ = continueUpload(request);
        const sent = { content: readBody(request), lockId: lockOf(request), md5: request.headers["content-md5"] };
        const { state } = runs.get(request) ?? (await admitRun(deps, request));
        await settle(request, await writeState(deps, state.project, sent));
        return reply.send();
      },
    });
    scope.delete(url, { bodyLimit: maxInfoBytes, onRequest: admitBody }, async (request, reply) => {
      await settle(request, (run) => deleteState(deps, run));
      return reply.send();
    });
    // A single statement handles the common case. If it has no effect, the slow path determines why.
    scope.route({
      method: "LOCK",
      url,
      bodyLimit: maxInfoBytes,
      onRequest: admitBody,
      handler: async (request, reply) => {
        const info = readLockInfo(readBody(request));
        const credential = readCredential(request);
        const isTaken = credential && info && (await takeFreeLock(deps.pool, credential, { id: info.ID, info }));
        if (isTaken !== true) await settle(request, (run) => lockState(deps, run, info));
        return reply.send();
      },
    });
    scope.route({
      method: "UNLOCK",
      url,
      bodyLimit: maxInfoBytes,
      onRequest: admitBody,
      handler: async (request, reply) => {
        const body = readBody(request);
        const info = readLockInfo(body);
        const credential = readCredential(request);
        const isGiven = credential && info && (await giveLockBack(deps.pool, credential, info.ID));
        if (isGiven === true) return reply.send();
        await settle(request, (run) => {
          if (body.length === 0) throw new Fault(apiFaults.force_unlock, "a run cannot release a lock without its id");
          return unlockState(deps, run, info);
        });
        return reply.send();
      },
    });
    registerPlanRoutes(scope, { ...deps, projectReads }, { ...options, maxPlanBytes: 2 * options.maxStateBytes });
    done();
  });
  rejectOtherMethods(app, planUrl, new Set(["GET", "PUT"]));
  rejectOtherMethods(app, url, new Set(["GET", "POST", "DELETE", "LOCK", "UNLOCK"]));
}

/** Returns the lock id from the query string. */
function lockOf(request: FastifyRequest): unknown {
  return (request.query as { ID?: unknown }).ID;
}

function readBody({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
