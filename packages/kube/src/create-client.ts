import { Fault, Secret } from "@cloudwright/platform";
import { applyObject, type ApplyOptions } from "./apply.ts";
import { createDiscovery, pathOf } from "./discovery.ts";
import { kubeFaults } from "./faults.ts";
import { describeRef, type KubeKind, type KubeObject, type KubeRef } from "./kube-object.ts";
import { readError } from "./read-error.ts";
import { createTransport, tooLarge, type KubeAccess, type KubePatience } from "./transport.ts";
import { readWatch, type KubeEvent } from "./watch-events.ts";

/** Selects objects of a kind. */
export interface KubeSelection {
  /** All namespaces if omitted. */
  readonly namespace?: string;
  readonly labels?: string;
  readonly fields?: string;
}

/** A list of objects, and the resource version from which a watch can continue. */
export interface KubeList {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
}

/** Options for deleting an object. */
export interface DeleteOptions {
  /** Deletes the object only if it has this uid, so that a new object with the same name survives. */
  readonly uid?: string;
  /** Whether dependents are deleted before the object, in the background, or not at all. */
  readonly dependents?: "Foreground" | "Background" | "Orphan";
  readonly graceSeconds?: number;
}

/** A request to a Service in the cluster. */
export interface ServiceCall {
  readonly namespace: string;
  readonly name: string;
  /** Number or name of the port. */
  readonly port: string;
  /** Whether the API server uses TLS to reach the service. */
  readonly https: boolean;
  /** Path on the service, starting with a slash. The caller must reject paths that contain `..` segments or percent-encoded characters. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Maximum number of bytes to read from the body. */
  readonly maxBytes: number;
}

/** A service account token. */
export interface AccountToken {
  readonly token: Secret;
  readonly expiresAt: Date;
}

/** A client for the API of one cluster. Every failure is a Fault. A call aborted by its signal rejects with the signal's reason. */
export interface KubeClient {
  /** Returns the server's version, such as `v1.34.1`. */
  getVersion(signal?: AbortSignal): Promise<string>;
  /** Throws a fault with the server's response unless the API reports that it is ready. */
  requireReady(signal?: AbortSignal): Promise<void>;
  isServed(kind: KubeKind, signal?: AbortSignal): Promise<boolean>;
  find(ref: KubeRef, signal?: AbortSignal): Promise<KubeObject | undefined>;
  get(ref: KubeRef, signal?: AbortSignal): Promise<KubeObject>;
  list(kind: KubeKind, which?: KubeSelection, signal?: AbortSignal): Promise<KubeList>;
  /** Yields all changes since `resourceVersion` until the server ends the watch. */
  watch(kind: KubeKind, which: KubeSelection, resourceVersion: string, signal?: AbortSignal): AsyncGenerator<KubeEvent>;
  /** Performs a server-side apply: sets the platform's fields and leaves those of other managers unchanged. */
  apply(object: KubeObject, options?: ApplyOptions): Promise<KubeObject>;
  /** Applies a merge patch. Returns undefined if the object does not exist. */
  patch(ref: KubeRef, change: object, signal?: AbortSignal): Promise<KubeObject | undefined>;
  /** Requests a token for a service account. The server may grant a different lifetime than requested. */
  createToken(
    account: { readonly namespace: string; readonly name: string },
    ttlSeconds: number,
    signal?: AbortSignal,
  ): Promise<AccountToken>;
  /** Returns whether the caller may perform an action in all namespaces. Has no side effects. */
  isAllowed(
    action: { readonly verb: string; readonly resource: string; readonly subresource?: string },
    signal?: AbortSignal,
  ): Promise<boolean>;
  /**
   * Asks the API to evict a pod. Returns false if the pod does not exist. Throws `kube.busy` while a disruption budget blocks the
   * eviction.
   */
  evict(pod: { readonly namespace: string; readonly name: string }, signal?: AbortSignal): Promise<boolean>;
  /** Sends a GET request to a Service through the API server. Does not follow redirects. Returns error responses instead of throwing. */
  callService(call: ServiceCall, signal?: AbortSignal): Promise<{ readonly status: number; readonly text: string }>;
  /** Deletes an object. Returns false if it does not exist. */
  delete(ref: KubeRef, options?: DeleteOptions, signal?: AbortSignal): Promise<boolean>;
  close(): void;
}

/** Creates a client for the API of a cluster. Lists are read in pages. */
export function createKubeClient(access: KubeAccess, pageSize = 500, patience: Partial<KubePatience> = {}): KubeClient {
  const transport = createTransport(access, patience);
  const discovery = createDiscovery(transport);

  async function resourcePath(ref: KubeRef, signal: AbortSignal | undefined): Promise<string> {
    const resource = await discovery.get(ref, signal);
    return pathOf(resource, ref.namespace ?? (resource.isNamespaced ? "default" : undefined), ref.name);
  }

  const client: KubeClient = {
    async getVersion(signal) {
      const body = await transport.call({ method: "GET", path: "/version", signal, what: "get the version" });
      const { gitVersion } = body as { gitVersion?: unknown };
      if (typeof gitVersion === "string") return gitVersion;
      throw new Fault(kubeFaults.bad_answer, "get the version: the response contains none");
    },
    async requireReady(signal) {
      await transport.call({ method: "GET", path: "/readyz", signal, what: "check whether the API is ready" });
    },
    isServed: async (kind, signal) => (await discovery.find(kind, signal)) !== undefined,
    async find(ref, signal) {
      const resource = await discovery.find(ref, signal);
      if (resource === undefined) return undefined;
      const what = `get ${describeRef(ref)}`;
      const { status, body } = await transport.ask({ method: "GET", path: await resourcePath(ref, signal), signal, what });
      if (status === 404) return undefined;
      if (status !== 200) throw readError(what, status, body);
      return body as KubeObject;
    },
    async get(ref, signal) {
      const found = await client.find(ref, signal);
      if (found !== undefined) return found;
      throw new Fault(kubeFaults.not_found, `${describeRef(ref)} does not exist`);
    },
    async list(kind, which = {}, signal) {
      const path = pathOf(await discovery.get(kind, signal), which.namespace);
      const items: KubeObject[] = [];
      const what = `list ${kind.kind}`;
      const { listBytes } = transport.limits;
      let bytes = 0;
      for (let more: string | undefined; ;) {
        const query = { labelSelector: which.labels, fieldSelector: which.fields, limit: pageSize, continue: more };
        const answer = await transport.ask({ method: "GET", path, query, signal, what });
        if (answer.status !== 200) throw readError(what, answer.status, answer.body);
        bytes += answer.bytes;
        if (bytes > listBytes) throw tooLarge(what, listBytes);
        const page = answer.body as {
          items?: readonly Omit<KubeObject, keyof KubeKind>[];
          metadata: { resourceVersion: string; continue?: string };
        };
        // The API omits the kind from list items.
        for (const item of page.items ?? []) items.push({ ...item, ...pickKind(kind) } as KubeObject);
        more = page.metadata.continue || undefined;
        if (more === undefined) return { items, resourceVersion: page.metadata.resourceVersion };
      }
    },
    async *watch(kind, which, resourceVersion, signal) {
      const path = pathOf(await discovery.get(kind, signal), which.namespace);
      const query = {
        labelSelector: which.labels,
        fieldSelector: which.fields,
        watch: true,
        allowWatchBookmarks: true,
        timeoutSeconds: 240,
        resourceVersion,
      };
      const what = `watch ${kind.kind}`;
      yield* readWatch(what, await transport.stream({ method: "GET", path, query, signal, what }));
    },
    async apply(object, options = {}) {
      const { namespace, name } = object.metadata;
      const ref = { ...pickKind(object), name, ...(namespace === undefined ? {} : { namespace }) };
      return applyObject(transport, await resourcePath(ref, options.signal), object, options);
    },
    async patch(ref, change, signal) {
      const what = `change ${describeRef(ref)}`;
      const contentType = "application/merge-patch+json";
      const path = await resourcePath(ref, signal);
      const query = { fieldManager: "cloudwright" };
      const { status, body } = await transport.ask({ method: "PATCH", path, query, body: change, contentType, signal, what });
      if (status === 404) return undefined;
      if (status !== 200) throw readError(what, status, body);
      return body as KubeObject;
    },
    async createToken({ namespace, name }, ttlSeconds, signal) {
      const what = `request a token for ServiceAccount ${namespace}/${name}`;
      const path = `${await resourcePath({ apiVersion: "v1", kind: "ServiceAccount", namespace, name }, signal)}/token`;
      const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: ttlSeconds } };
      const answer = (await transport.call({ method: "POST", path, body, signal, what })) as {
        readonly status?: { readonly token?: unknown; readonly expirationTimestamp?: unknown };
      };
      const { token, expirationTimestamp } = answer.status ?? {};
      const expiresAt = new Date(typeof expirationTimestamp === "string" ? expirationTimestamp : Number.NaN);
      if (typeof token === "string" && token !== "" && !Number.isNaN(expiresAt.getTime()))
        return { token: new Secret(token), expiresAt };
      throw new Fault(kubeFaults.bad_answer, `${what}: the response contains no token`);
    },
    async isAllowed(resourceAttributes, signal) {
      const what = `check whether the caller may ${resourceAttributes.verb} ${resourceAttributes.resource}`;
      const apiVersion = "authorization.k8s.io/v1";
      const body = { apiVersion, kind: "SelfSubjectAccessReview", spec: { resourceAttributes } };
      const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
      const answer = (await transport.call({ method: "POST", path, body, signal, what })) as {
        readonly status?: { readonly allowed?: unknown };
      };
      return answer.status?.allowed === true;
    },
    async evict({ namespace, name }, signal) {
      const what = `evict Pod ${namespace}/${name}`;
      const path = `${await resourcePath({ apiVersion: "v1", kind: "Pod", namespace, name }, signal)}/eviction`;
      const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
      const { status, body: answer } = await transport.ask({ method: "POST", path, body, signal, what });
      if (status === 404) return false;
      if (status >= 300) throw readError(what, status, answer);
      return true;
    },
    async callService({ namespace, name, port, https, path: below, query, maxBytes }, signal) {
      const what = `call Service ${namespace}/${name}`;
      const service = pathOf(await discovery.get({ apiVersion: "v1", kind: "Service" }, signal), namespace);
      const path = `${service}/${https ? "https:" : ""}${name}:${port}/proxy${below}`;
      return transport.peek({ method: "GET", path, ...(query === undefined ? {} : { query }), signal, what }, maxBytes);
    },
    async delete(ref, { uid, dependents = "Background", graceSeconds } = {}, signal) {
      if (!(await client.isServed(ref, signal))) return false;
      const what = `delete ${describeRef(ref)}`;
      const options = {
        apiVersion: "v1",
        kind: "DeleteOptions",
        propagationPolicy: dependents,
        ...(uid === undefined ? {} : { preconditions: { uid } }),
        ...(graceSeconds === undefined ? {} : { gracePeriodSeconds: graceSeconds }),
      };
      const path = await resourcePath(ref, signal);
      const { status, body } = await transport.ask({ method: "DELETE", path, body: options, signal, what });
      // A conflict here means that the uid differs, so the object to delete no longer exists.
      if (status === 404 || (status === 409 && uid !== undefined)) return false;
      if (status >= 300) throw readError(what, status, body);
      return true;
    },
    close: () => transport.close(),
  };
  return client;
}

function pickKind({ apiVersion, kind }: KubeKind): KubeKind {
  return { apiVersion, kind };
}
