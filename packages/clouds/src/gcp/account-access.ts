import { Fault } from "@cloudwright/platform/fault";
import { Secret } from "@cloudwright/platform/secret";
import { cloudsFaults } from "../faults.ts";
import type { GcpToken } from "./gcp-token.ts";

/** The initial credentials for a Google Cloud project, and the service account to impersonate with them. */
export interface GcpAccess {
  /**
   * A service account key, the credentials of the agent's machine, a token file that a workload identity pool accepts, or access tokens
   * from the caller.
   */
  readonly first:
    | { readonly by: "token"; readonly get: () => Promise<GcpToken> }
    | { readonly by: "key"; readonly email: string; readonly privateKey: Secret; readonly keyId: string }
    | { readonly by: "agent" }
    | { readonly by: "federation"; readonly provider: string };
  /** Email address of the service account to impersonate. */
  readonly serviceAccount?: string;
  /** Project in which resources are created. Absent if only the agent's credentials name it. */
  readonly projectId?: string;
}

/** Reads the access settings from an account's spec, including its secrets. Throws if the spec contains no credentials. */
export function readGcpAccess(account: string, spec: Secret<Readonly<Record<string, unknown>>>): GcpAccess {
  const { gcp } = spec.reveal() as { readonly gcp?: Readonly<Record<string, unknown>> };
  const text = (name: string): string => (typeof gcp?.[name] === "string" ? gcp[name] : "");
  const [serviceAccount, provider, keyText] = [
    text("serviceAccount"),
    text("workloadIdentityProvider"),
    text("serviceAccountKey"),
  ];
  const key = keyText === "" ? undefined : parseServiceAccountKey(keyText, ` of account "${account}"`);
  const first: GcpAccess["first"] | undefined =
    provider !== ""
      ? { by: "federation", provider }
      : gcp?.["agentCredentials"] === true
        ? { by: "agent" }
        : key === undefined
          ? undefined
          : { by: "key", email: key.email, privateKey: key.privateKey, keyId: key.keyId };
  if (first === undefined) {
    const message = `account "${account}" has neither a service account key nor a workload identity provider, and does not use the agent's credentials`;
    throw new Fault(cloudsFaults.no_credentials, message);
  }
  const projectId = text("projectId") || projectOf(serviceAccount) || (first.by === "key" ? (key?.projectId ?? "") : "");
  return {
    first,
    ...(serviceAccount === "" ? {} : { serviceAccount }),
    ...(projectId === "" ? {} : { projectId }),
  };
}

/** Returns the project in a service account's email address, or an empty string for any other text. */
function projectOf(email: string): string {
  return /@(?<project>[a-z0-9-]+)\.iam\.gserviceaccount\.com$/.exec(email)?.groups?.["project"] ?? "";
}

interface ServiceAccountKey {
  readonly email: string;
  readonly privateKey: Secret;
  readonly keyId: string;
  readonly projectId: string;
}

/**
 * Reads a key file. Other kinds of credential files are rejected, because they can name files, programs and addresses on the agent's
 * machine. For the same reason, the addresses in a key file are ignored. `owner` follows "the service account key" in messages.
 */
export function parseServiceAccountKey(text: string, owner = ""): ServiceAccountKey {
  const refuse = (reason: string): Fault => new Fault(cloudsFaults.no_credentials, `the service account key${owner} ${reason}`);
  const read = (): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      // The parser's message is omitted, because it quotes the key.
      throw refuse("is not valid JSON. Use the key file as Google Cloud created it");
    }
  };
  const key = read();
  if (typeof key !== "object" || key === null || Array.isArray(key)) throw refuse("is not a JSON object");
  const field = (name: string): string => {
    const value = (key as Readonly<Record<string, unknown>>)[name];
    return typeof value === "string" ? value : "";
  };
  if (field("type") !== "service_account") {
    throw refuse(
      'has the wrong type. Only files with "type": "service_account" are accepted; for workload identity federation, set workloadIdentityProvider',
    );
  }
  const [email, privateKey] = [field("client_email"), field("private_key")];
  if (email === "" || !privateKey.includes("PRIVATE KEY")) throw refuse("lacks client_email or private_key");
  return {
    email,
    privateKey: new Secret(privateKey),
    keyId: field("private_key_id"),
    projectId: field("project_id") || projectOf(email),
  };
}
