import type { Clock } from "@cloudwright/platform";
import type { Conditions } from "../cloud/conditions.ts";
import type { Inventory } from "../inventory/inventory.ts";
import type { ApiRefusal } from "../provider/definition.ts";
import type { Scope } from "../provider/scope.ts";
import type { ValueMap } from "../values/value.ts";
import type { ApiIdentity } from "./identity.ts";
import type { ApiOperations } from "./operations.ts";

/** A request as it arrived. The path and the query are not decoded, because signatures cover the original bytes. */
export interface ApiRequest {
  readonly method: string;
  readonly rawPath: string;
  readonly rawQuery: string;
  /** The headers in the order in which the client sent them, with lower-case names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** The address that the client used, such as `https://127.0.0.1:8483`. */
  readonly origin: string;
}

/** A reply in the cloud's own format. */
export interface ApiReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** The sender of a request. `name` is the identity in the cloud's own notation. */
export interface Caller {
  readonly tenant: string;
  readonly name: string;
  /** The origin of the credential. Credentials that this caller requests inherit the origin. */
  readonly origin?: CredentialOrigin;
}

/** The person or program that requested a credential. */
export interface CredentialOrigin {
  /** Identifies the platform credential that was used to request this credential. Empty if no platform credential was used. */
  readonly source: string;
  readonly expiresAtMs: number;
}

/** The Terraform resource type and the verb that an operation corresponds to. Simulated faults are matched by both. */
export interface Touched {
  readonly type: string;
  readonly operation: "create" | "read" | "update" | "delete";
}

/** One operation of a cloud's API. The files in a cloud's `api` folder export lists of operations. */
export interface ApiOperation {
  /** The name in the cloud's API description, such as `RunInstances`. */
  readonly name: string;
  /** The HTTP method and path template, for example `/clusters/{name}`, or the action of a query protocol. */
  readonly match: { readonly method: string; readonly path: string } | { readonly action: string };
  readonly touches?: Touched;
  run(call: ApiCall): Promise<ApiAnswer>;
}

/** The result of an operation. The service renders the content in its own format. */
export interface ApiAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content: unknown;
}

/** An authenticated request to one operation. */
export interface ApiCall {
  readonly caller: Caller;
  readonly scope: Scope;
  readonly conditions: Conditions;
  /** The path parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The parsed body: JSON, or the nested form of a query protocol. */
  readonly body: unknown;
  /** The request headers that matter to operations, such as `if-match`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly operations: ApiOperations;
  readonly identity: ApiIdentity;
  readonly requestId: string;
  readonly origin: string;
  /** The time on the cloud's clock. */
  readonly nowMs: number;
}

/** A request whose operation is known and whose caller is authenticated. */
export interface OpenedCall extends Pick<ApiCall, "caller" | "parameters" | "query" | "body" | "headers"> {
  readonly operation: ApiOperation;
  /** The configuration that a Terraform provider would have, for example the region. */
  readonly provider: ValueMap;
}

/** The dependencies that a service uses to authenticate requests. */
export interface ServiceDeps {
  readonly inventory: Inventory;
  /** Where the public halves of keys are stored. */
  readonly keys: Inventory;
  readonly identity: ApiIdentity;
  readonly clock: Pick<Clock, "now">;
  /** Returns whether a tenant with this name can exist. */
  isTenant(name: string): boolean;
  /** Returns whether the source of a credential may still act as the tenant. */
  isSourceValid(source: string, tenant: string): Promise<boolean>;
  /** Whether to accept credentials without an origin, which never expire. */
  readonly lastingKeys: boolean;
  /** Returns the time on the clock of a tenant's cloud. */
  nowFor(tenant: string): Promise<number>;
}

/** The API of one cloud. Each cloud registers one. */
export interface ApiService {
  /** Returns whether a request is meant for this cloud. */
  claims(request: ApiRequest): boolean;
  /** Answers a request that needs no credential, such as a request for the metadata of a login endpoint. Must be cheap. */
  answerPublic?(head: ApiRequest, requestId: string): ApiReply | undefined;
  /** Returns the part of a request's head that identifies its credential, or "". By default, the `Authorization` header. */
  credentialOf?(head: ApiRequest): string;
  /**
   * Checks the credential as far as possible without the body, which is empty here. Throws `ApiError` if the credential is not valid. The
   * host does not read the body of a rejected request.
   */
  admit?(head: ApiRequest, deps: ServiceDeps): Promise<void>;
  /**
   * Finds the operation and authenticates the caller. Throws `ApiError` if either fails. Must not parse the body before the caller is
   * authenticated.
   */
  open(request: ApiRequest, deps: ServiceDeps): Promise<OpenedCall>;
  renderAnswer(request: ApiRequest, opened: OpenedCall, answer: ApiAnswer, requestId: string): ApiReply;
  renderError(request: ApiRequest, refusal: ApiRefusal, requestId: string): ApiReply;
  /** Returns the environment variables with which this cloud's own tools reach the API as the tenant. Values may be secrets. */
  issueCredentials(tenant: string, deps: ServiceDeps, place: IssuePlace): Promise<IssuedCredentials>;
}

/** The API host and the account for which credentials are issued. */
export interface IssuePlace {
  /** The host's HTTP address. */
  readonly address: string;
  readonly secureAddress: string;
  readonly caPem: string;
  readonly region: string | undefined;
  /** The cloud's own id for the account, such as a project id, if the platform knows it. */
  readonly cloudAccount?: string | undefined;
  /** Who requested the credentials, and when they expire. If this is absent, the credentials are valid until the next rotation. */
  readonly origin?: CredentialOrigin | undefined;
}

/** Credentials for one tenant, as environment variables for the cloud's own tools and as options for a client library. */
export interface IssuedCredentials {
  readonly environment: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
}
