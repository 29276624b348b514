/**
 * Facts about the supported types of external state backends, and the rules that keep the states of projects apart. The API checks the rules
 * when an entity is created and when a run opens its state. Deployers check them again.
 */
export interface BackendTypeFacts {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** The settings that identify the bucket, container or database. */
  readonly store: readonly string[];
  /** The setting that selects a single state: a key, a prefix or a schema. */
  readonly location: string;
  /** True if only the platform may choose the location, because locations have no folders that could separate projects. */
  readonly isLocationFixed: boolean;
  /** Environment variables for the backend's secrets, keyed by the `BackendSpec` field that contains the value. */
  readonly variables: Readonly<Record<string, string>>;
}

const facts: Readonly<Record<string, BackendTypeFacts>> = {
  s3: {
    required: ["bucket", "region"],
    optional: ["dynamodb_table", "kms_key_id", "role_arn", "endpoint"],
    store: ["bucket"],
    location: "key",
    isLocationFixed: false,
    variables: {
      accessKeyId: "AWS_ACCESS_KEY_ID",
      secretAccessKey: "AWS_SECRET_ACCESS_KEY",
      sessionToken: "AWS_SESSION_TOKEN",
    },
  },
  gcs: {
    required: ["bucket"],
    optional: ["impersonate_service_account", "kms_encryption_key", "storage_custom_endpoint"],
    store: ["bucket"],
    location: "prefix",
    isLocationFixed: false,
    variables: { serviceAccountKey: "GOOGLE_CREDENTIALS", encryptionKey: "GOOGLE_ENCRYPTION_KEY" },
  },
  azurerm: {
    required: ["storage_account_name", "container_name"],
    optional: ["resource_group_name", "subscription_id", "environment"],
    store: ["storage_account_name", "container_name"],
    location: "key",
    isLocationFixed: false,
    variables: { storageAccessKey: "ARM_ACCESS_KEY", sasToken: "ARM_SAS_TOKEN" },
  },
  pg: {
    required: ["host", "database", "user"],
    optional: ["port", "sslmode"],
    store: ["host", "port", "database"],
    location: "schema_name",
    isLocationFixed: true,
    variables: { password: "PGPASSWORD" },
  },
};

/** Names of the supported backend types. */
export const backendTypes: readonly string[] = Object.keys(facts);

/** Returns the facts about a backend type. Returns undefined if the type is not supported. */
export function findBackendType(type: string): BackendTypeFacts | undefined {
  return Object.hasOwn(facts, type) ? facts[type] : undefined;
}

export type BackendSettingsMap = Readonly<Record<string, string>>;

/** A problem with a backend's settings. `field` is relative to the backend. */
export interface BackendProblem {
  readonly field: string;
  readonly message: string;
}

/** Returns the first problem with a backend's settings, or undefined. Operators' backends must not contain a location. */
export function findBackendProblem(
  type: string,
  settings: BackendSettingsMap,
  { mayLocate }: { readonly mayLocate: boolean },
): BackendProblem | undefined {
  const known = findBackendType(type);
  if (known === undefined)
    return { field: "type", message: `the backend "${type}" is not supported; use ${backendTypes.join(", ")}` };
  const missing = known.required.find((name) => (settings[name] ?? "") === "");
  if (missing !== undefined) return { field: `settings.${missing}`, message: `required by the backend ${type}` };
  const words = [...known.required, ...known.optional, ...(mayLocate ? [known.location] : [])];
  const stranger = Object.keys(settings).find((name) => !words.includes(name));
  if (stranger === known.location)
    return { field: `settings.${stranger}`, message: "must not be set; the platform chooses the location of each state" };
  if (stranger !== undefined)
    return { field: `settings.${stranger}`, message: `unknown setting; ${type} supports ${words.join(", ")}` };
  return findHostProblem(settings);
}

/** Rejects Unix sockets and lists of hosts. A socket on the agent's machine could belong to another service. */
function findHostProblem({ host }: BackendSettingsMap): BackendProblem | undefined {
  if (host === undefined || /^[A-Za-z0-9[][A-Za-z0-9.:\-\]]*$/.test(host)) return undefined;
  return { field: "settings.host", message: "must be one host name or address; Unix sockets and lists are not allowed" };
}

/** The properties of an operator's backend that determine where projects' states are stored. */
export interface AllowedBackend {
  readonly name: string;
  readonly type: string;
  readonly settings: BackendSettingsMap;
  readonly prefix: string;
  readonly projects: readonly string[];
  /** Locations outside the projects' folders that entities created by earlier releases may keep, keyed by entity uid. */
  readonly keptLocations: Readonly<Record<string, string>>;
}

/** The entity whose state is stored. */
export interface StateOwner {
  readonly project: string;
  readonly kind: string;
  readonly uid: string;
}

/** Returns whether an operator allows a project to use a backend. */
export function isBackendAllowed({ projects }: Pick<AllowedBackend, "projects">, project: string): boolean {
  return projects.includes(project) || projects.includes("*");
}

/** Returns whether a spec's type and settings describe this backend. The location is not compared, and the spec may omit settings. */
export function describesBackend(
  backend: Pick<AllowedBackend, "type" | "settings">,
  given: { readonly type: string; readonly settings: BackendSettingsMap },
): boolean {
  if (given.type !== "" && given.type !== backend.type) return false;
  const location = findBackendType(backend.type)?.location;
  return Object.entries(given.settings).every(([name, value]) => name === location || backend.settings[name] === value);
}

/** Returns the folder in which all states of a project are stored. Empty if the type has no folders. */
export function renderProjectFolder({ type, prefix }: Pick<AllowedBackend, "type" | "prefix">, project: string): string {
  if (findBackendType(type)?.isLocationFixed !== false) return "";
  return `${prefix === "" ? "" : `${prefix}/`}${project}/`;
}

/** Returns the default location of an entity's state. */
export function renderStateLocation(backend: Pick<AllowedBackend, "type" | "prefix">, owner: StateOwner): string {
  return renderProjectFolder(backend, owner.project) + renderPlainLocation(backend.type, owner);
}

/** Returns the location that releases before 0.2 chose, which has no folder per project. */
export function renderPlainLocation(type: string, { kind, uid }: Pick<StateOwner, "kind" | "uid">): string {
  const place = `${kind.toLowerCase()}/${uid}`;
  const known = findBackendType(type);
  if (known?.isLocationFixed === true) return place.replaceAll(/[^a-z0-9]/g, "_");
  return known?.location === "key" ? `${place}.tfstate` : place;
}

/** Returns whether a location has the form that releases before 0.2 chose for entities. */
function isPlainLocation(location: string): boolean {
  return /^[a-z]+\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.tfstate)?$/i.test(location);
}

/** Returns whether a location is in the folder of the owner's project and does not have the form that earlier releases chose. */
export function isOwnLocation(backend: Pick<AllowedBackend, "type" | "prefix">, location: string, owner: StateOwner): boolean {
  if (location === renderStateLocation(backend, owner)) return true;
  const folder = renderProjectFolder(backend, owner.project);
  if (folder === "" || !location.startsWith(folder) || isPlainLocation(location)) return false;
  return location.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/**
 * Returns whether an entity's state may be stored at a location in a backend. `all` lists every backend of the platform, because several
 * backends can share a bucket. A location that another backend reserves, by a longer prefix or for another entity, is not allowed.
 */
export function mayUseLocation(
  backend: AllowedBackend,
  all: readonly AllowedBackend[],
  location: string,
  owner: StateOwner,
): boolean {
  if (backend.keptLocations[owner.uid] === location || location === renderStateLocation(backend, owner)) return true;
  const isReserved = all
    .filter((other) => isSameStore(other, backend))
    .some(({ prefix, keptLocations }) => {
      const isDeeper = prefix.length > backend.prefix.length && location.startsWith(`${prefix}/`);
      return isDeeper || Object.values(keptLocations).includes(location);
    });
  return !isReserved && isOwnLocation(backend, location, owner);
}

function isSameStore(one: AllowedBackend, other: AllowedBackend): boolean {
  const store = findBackendType(one.type)?.store ?? [];
  return one.type === other.type && store.every((name) => one.settings[name] === other.settings[name]);
}
