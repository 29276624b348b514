import type { FastifyInstance, FastifyRequest } from "fastify";
import { Fault } from "@cloudwright/platform";
import type { Gatekeeper, Origin } from "../calls/gatekeeper.ts";
import type { ApiDeps } from "../deps.ts";
import { apiFaults } from "../faults.ts";
import { authenticate, type Credentials } from "./authenticate.ts";
import { requireSameOrigin } from "./csrf.ts";
import { getSessionHolder } from "./holder.ts";
import { createLogin, logout } from "./login.ts";
import { acceptJsonOnly, readLogin } from "./login-body.ts";
import { readSessionCookie, renderClearedCookie, renderSessionCookie } from "./session-cookie.ts";

const path = "/v1/session";
const defaultTtlMs = 12 * 60 * 60 * 1000;

/** Serves browser sessions: sign in with an API key or a sign-in token, show the current user and sign out. */
export function registerSessionRoutes(
  app: FastifyInstance,
  deps: ApiDeps,
  options: { sessionTtlMs?: number; gatekeeper: Pick<Gatekeeper, "lookUp"> },
): void {
  const login = createLogin(deps, { sessionTtlMs: options.sessionTtlMs ?? defaultTtlMs });

  // A separate scope, because the login body is parsed differently from all other bodies.
  void app.register((scope, _options, done) => {
    acceptJsonOnly(scope);
    scope.addHook("onRequest", (_request, reply, next) => {
      reply.header("cache-control", "no-store");
      next();
    });

    scope.post(path, async (request, reply) => {
      requireSameOrigin(readCredentials(request));
      const session = await login(readLogin(request.body), originOf(request), findCookie(request));
      const maxAgeSeconds = Math.floor((session.expiresAtMs - deps.clock.now()) / 1000);
      reply.header("set-cookie", renderSessionCookie(session.token, { maxAgeSeconds, secure: isSecure(request) }));
      return reply.send({ user: session.user, expiresAt: new Date(session.expiresAtMs).toISOString() });
    });

    scope.get(path, async (request, reply) => {
      const cookie = requireCookie(request);
      const row = await options.gatekeeper.lookUp(cookie, originOf(request), () => getSessionHolder(deps, cookie));
      return reply.send({ user: row.user_name, expiresAt: row.expires_at?.toISOString() });
    });

    scope.delete(path, async (request, reply) => {
      const cookie = requireCookie(request);
      const origin = originOf(request);
      const credentials = { ...readCredentials(request), authorization: undefined };
      const caller = await options.gatekeeper.lookUp(cookie, origin, () => authenticate(deps, credentials));
      await logout(deps, cookie, { caller, ...origin });
      reply.header("set-cookie", renderClearedCookie({ secure: isSecure(request) }));
      return reply.code(204).send();
    });
    done();
  });
}

/** Reads the credentials of a request and the headers that identify the page it was sent from. */
export function readCredentials(request: FastifyRequest): Credentials {
  const { headers } = request;
  return {
    method: request.method,
    authorization: headers.authorization,
    cookie: headers.cookie,
    csrfHeader: single(headers["x-cloudwright-csrf"]),
    origin: headers.origin,
    host: request.host,
    secFetchSite: single(headers["sec-fetch-site"]),
  };
}

function originOf({ ip, id }: FastifyRequest): Origin {
  return { source: ip, requestId: id };
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(", ") : value;
}

function requireCookie(request: FastifyRequest): string {
  const cookie = readSessionCookie(request.headers.cookie);
  if (cookie === undefined) throw new Fault(apiFaults.unauthenticated, "the request carries no session");
  return cookie;
}

/** Returns the session cookie sent with a login request. A malformed cookie is ignored. */
function findCookie(request: FastifyRequest): string | undefined {
  try {
    return readSessionCookie(request.headers.cookie);
  } catch {
    return undefined;
  }
}

/**
 * Returns whether the browser uses TLS, to this server or to a proxy in front of it. The Origin header is reliable here, because it was
 * already compared with the host.
 */
function isSecure(request: FastifyRequest): boolean {
  return request.protocol === "https" || request.headers.origin?.startsWith("https://") === true;
}
