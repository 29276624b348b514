import type { EntityJson, Json } from "@cloudwright/contract";

/** Sends REST requests to a server, by default with the administrator's key. */
export interface AdminCalls {
  /** Sends a request and returns the response, regardless of its status. */
  send(method: string, path: string, body?: Json, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Creates an entity in the collection at `path`. */
  create(path: string, entity: Json, headers?: Readonly<Record<string, string>>): Promise<EntityJson>;
  get(path: string): Promise<EntityJson>;
  list(path: string): Promise<readonly EntityJson[]>;
  /** Creates a user with a role in a project. Returns the user's API key and session cookie. */
  createUser(name: string, role: string, project: string): Promise<{ key: string; cookie: string }>;
  /** Returns the name of the user that an API key belongs to. */
  whoIs(key: string): Promise<string | undefined>;
}

export function createAdminCalls(server: { readonly address: string; readonly adminKey: string }): AdminCalls {
  const send: AdminCalls["send"] = (method, path, body, given) => {
    const headers = { authorization: `Bearer ${server.adminKey}`, "content-type": "application/json", ...given };
    return fetch(new URL(path, server.address), {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  };
  const must = async (response: Response): Promise<unknown> => {
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text}`);
    return JSON.parse(text) as unknown;
  };
  const calls: AdminCalls = {
    send,
    create: async (path, entity, headers) => (await must(await send("POST", path, entity, headers))) as EntityJson,
    get: async (path) => (await must(await send("GET", path))) as EntityJson,
    list: async (path) => ((await must(await send("GET", path))) as { items: EntityJson[] }).items,
    async createUser(name, role, project) {
      await calls.create("/v1/users", { metadata: { name } });
      await calls.create(`/v1/projects/${project}/rolebindings`, { metadata: { name }, spec: { user: name, role } });
      const made = await calls.create("/v1/apikeys", { metadata: { name }, spec: { user: name } });
      const key = made.status["key"] as string;
      const login = await fetch(new URL("/v1/session", server.address), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ key }),
      });
      const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
      return { key, cookie };
    },
    async whoIs(key) {
      const response = await send("GET", "/v1/whoami", undefined, { authorization: `Bearer ${key}` });
      return ((await response.json()) as { user?: string }).user;
    },
  };
  return calls;
}
