import { findBackendProblem, findBackendType } from "@cloudwright/contract";
import { Fault, type Secret } from "@cloudwright/platform";
import { createBackend, type Backend, type BackendSettings } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { InfraSettings } from "../infra-settings.ts";
import type { DeployerTask, OpenedBackend, StateAccess } from "../../task.ts";
import type { Subject } from "./subject.ts";

/** The agent's credentials for state backends, keyed by Terraform's environment variables, such as `PGPASSWORD`. */
export type BackendSecrets = Readonly<Record<string, Secret>>;

type Settings = Readonly<Record<string, string>>;

/** Returns the external state backend that the spec or the stack selects. Returns undefined if the platform stores the state. */
export function findExternalBackend(
  { backendSecrets }: { readonly backendSecrets?: BackendSecrets },
  { stack, settings }: Pick<Subject, "stack" | "settings">,
  { payload }: Pick<DeployerTask, "payload">,
  { backend }: Pick<StateAccess, "backend">,
): Backend | undefined {
  if (settings.backend === undefined) return stack.backend?.(payload.entity);
  return createExternalBackend(requireOpened(settings.backend, backend), backendSecrets ?? {});
}

/**
 * Returns the backend that the control plane opened for the run. Throws if there is none, or if the spec describes another one. The spec
 * alone never selects a backend, because the spec's author may not be allowed to use it.
 */
function requireOpened(wanted: NonNullable<InfraSettings["backend"]>, opened: OpenedBackend | undefined): OpenedBackend {
  if (opened === undefined) {
    const message = "the control plane did not open the external state backend in spec.infra.backend for this run";
    throw new Fault(deployerFaults.backend_not_allowed, message);
  }
  const isSame =
    (wanted.name === "" || wanted.name === opened.name) &&
    (wanted.type === "" || wanted.type === opened.type) &&
    Object.entries(wanted.settings).every(([name, value]) => opened.settings[name] === value);
  if (isSame) return opened;
  const message = `spec.infra.backend describes a different backend than "${opened.name}", which the control plane opened for this run`;
  throw new Fault(deployerFaults.backend_not_allowed, message);
}

/**
 * Creates the backend that the control plane opened. Throws if its type or a setting is unknown, if a required setting is missing, or if
 * the host is a Unix socket. If the backend has no secrets of its own, it gets the agent's variables for its type. It never gets the
 * variables of other types.
 */
export function createExternalBackend({ type, settings, secrets }: OpenedBackend, agentSecrets: BackendSecrets): Backend {
  const problem = findBackendProblem(type, settings, { mayLocate: true });
  if (problem !== undefined) throw refuse(problem.field, problem.message);
  const { location, variables } = findBackendType(type) ?? { location: "", variables: {} };
  if ((settings[location] ?? "") === "") throw refuse(`settings.${location}`, "required");
  const source = Object.keys(secrets).length > 0 ? secrets : agentSecrets;
  const own = Object.values(variables).flatMap((name) => (source[name] === undefined ? [] : [[name, source[name]] as const]));
  return createBackend(render(type as BackendType, settings, settings[location] ?? "", Object.fromEntries(own)));
}

type BackendType = Exclude<BackendSettings["type"], "http">;

function render(type: BackendType, settings: Settings, location: string, secrets: BackendSecrets): BackendSettings {
  const text = (name: string): string => settings[name] ?? "";
  const given = (from: Record<string, string>): object =>
    Object.fromEntries(
      Object.entries(from).flatMap(([to, name]) => (settings[name] === undefined ? [] : [[to, settings[name]]])),
    );
  const secret = (from: Record<string, string>): object =>
    Object.fromEntries(Object.entries(from).flatMap(([to, name]) => (secrets[name] === undefined ? [] : [[to, secrets[name]]])));
  const { AWS_ACCESS_KEY_ID: keyId, AWS_SECRET_ACCESS_KEY: key, AWS_SESSION_TOKEN: token } = secrets;
  switch (type) {
    case "s3":
      return {
        type,
        bucket: text("bucket"),
        region: text("region"),
        key: location,
        ...(settings["dynamodb_table"] === undefined ? {} : { lock: { dynamodbTable: text("dynamodb_table") } }),
        ...given({ kmsKeyId: "kms_key_id", roleArn: "role_arn", endpoint: "endpoint" }),
        ...(keyId === undefined || key === undefined
          ? {}
          : {
              credentials: {
                accessKeyId: keyId.reveal(),
                secretAccessKey: key,
                ...(token === undefined ? {} : { sessionToken: token }),
              },
            }),
      };
    case "gcs":
      return {
        type,
        bucket: text("bucket"),
        prefix: location,
        ...given({
          impersonateServiceAccount: "impersonate_service_account",
          kmsKey: "kms_encryption_key",
          endpoint: "storage_custom_endpoint",
        }),
        ...secret({ credentials: "GOOGLE_CREDENTIALS", encryptionKey: "GOOGLE_ENCRYPTION_KEY" }),
      };
    case "azurerm":
      return {
        type,
        storageAccount: text("storage_account_name"),
        container: text("container_name"),
        key: location,
        ...given({ resourceGroup: "resource_group_name", subscriptionId: "subscription_id", environment: "environment" }),
        ...secret({ accessKey: "ARM_ACCESS_KEY", sasToken: "ARM_SAS_TOKEN" }),
      };
    case "pg":
      return {
        type,
        host: text("host"),
        database: text("database"),
        user: text("user"),
        schema: location,
        ...(settings["port"] === undefined ? {} : { port: Number(settings["port"]) }),
        ...given({ sslMode: "sslmode" }),
        ...secret({ password: "PGPASSWORD" }),
      };
  }
}

function refuse(where: string, why: string): Fault {
  const field = `spec.infra.backend.${where}`;
  return new Fault(deployerFaults.bad_spec, `${field}: ${why}`, { fields: [{ field, message: why }] });
}
