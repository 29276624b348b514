import { Fault } from "@cloudwright/platform";
import type { StateRun } from "@cloudwright/store";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiDeps } from "../../deps.ts";
import { apiFaults } from "../../faults.ts";
import type { Gatekeeper } from "../../gatekeeper.ts";
import { refuseOtherMethods } from "../rest/refuse-methods.ts";
import { admitRun } from "./admit-run.ts";
import { lockState, readLockInfo, unlockState } from "./locks.ts";
import { deleteState, readNewest, writeState } from "./versions.ts";

const url = "/v1/states/:uid";
const maxTries = 10;

/** Where Terraform finds the state of an entity. */
export function statePath(entityUid: string): string {
  return `/v1/states/${entityUid}`;
}

/**
 * Serves Terraform's `http` backend to runs: GET, POST, DELETE, LOCK and UNLOCK of one state each. The credential is looked at before the
 * body is read, and holds for exactly as long as the task's lease.
 */
export function registerStateRoutes(
  app: FastifyInstance,
  deps: ApiDeps & { readonly gatekeeper: Pick<Gatekeeper, "turnAway"> },
  options: { readonly maxStateBytes: number },
): void {
  for (const method of ["LOCK", "UNLOCK"]) app.addHttpMethod(method, { hasBody: true });
  const runs = new WeakMap<FastifyRequest, StateRun>();

  /** Acts on what was read; when it has changed meanwhile, reads again. */
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

  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    const limits = { parseAs: "buffer", bodyLimit: options.maxStateBytes } as const;
    scope.addContentTypeParser("*", limits, (_request, body, parsed) => parsed(null, body));
    scope.addHook("onRequest", async (request, reply) => {
      void reply.header("cache-control", "no-store");
      if (!deps.served.has("agents")) throw new Fault(apiFaults.not_served, "this replica does not serve agents");
      void reply.header("www-authenticate", 'Basic realm="terraform state"');
      runs.set(request, await admitRun(deps, request));
      void reply.removeHeader("www-authenticate");
    });

    scope.get(url, async (request, reply) => {
      const found = await settle(request, async (run) => (await readNewest(deps, run)) ?? null);
      if (found === null) return reply.code(204).send();
      void reply.header("content-md5", found.md5.toString("base64"));
      return reply.type("application/json").send(found.content);
    });
    scope.post(url, async (request, reply) => {
      const { ID: lockId } = request.query as { ID?: unknown };
      const sent = { content: readBody(request), lockId, md5: request.headers["content-md5"] };
      await settle(request, await writeState(deps, sent));
      return reply.send();
    });
    scope.delete(url, async (request, reply) => {
      await settle(request, (run) => deleteState(deps, run));
      return reply.send();
    });
    scope.route({
      method: "LOCK",
      url,
      handler: async (request, reply) => {
        const info = readLockInfo(readBody(request));
        await settle(request, (run) => lockState(deps, run, info));
        return reply.send();
      },
    });
    scope.route({
      method: "UNLOCK",
      url,
      handler: async (request, reply) => {
        const body = readBody(request);
        if (body.length === 0) throw new Fault(apiFaults.force_unlock, "a run cannot take a lock away without naming it");
        const { ID: lockId } = readLockInfo(body);
        await settle(request, (run) => unlockState(deps, run, lockId));
        return reply.send();
      },
    });
    done();
  });
  refuseOtherMethods(app, url, new Set(["GET", "POST", "DELETE", "LOCK", "UNLOCK"]));
}

function readBody({ body }: FastifyRequest): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
