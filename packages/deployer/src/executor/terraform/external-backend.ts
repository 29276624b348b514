import { Fault, type Secret } from "@cloudwright/platform";
import { createBackend, type Backend, type BackendSettings } from "@cloudwright/terraform";
import { deployerFaults } from "../../faults.ts";
import type { InfraSettings } from "../infra-settings.ts";
import type { DeployedEntity, DeployerTask } from "../../task.ts";
import type { Subject } from "./subject.ts";

/** The agent's credentials for state backends, keyed by Terraform's environment variables, such as `PGPASSWORD`. */
export type BackendSecrets = Readonly<Record<string, Secret>>;

type Settings = Readonly<Record<string, string>>;

/** The supported backends and their settings. By default, the state's key, prefix or schema is derived from the entity's kind and uid. */
const words = {
  s3: { needed: ["bucket", "region"], others: ["key", "dynamodb_table", "kms_key_id", "role_arn", "endpoint"] },
  gcs: {
    needed: ["bucket"],
    others: ["prefix", "impersonate_service_account", "kms_encryption_key", "storage_custom_endpoint"],
  },
  azurerm: {
    needed: ["storage_account_name", "container_name"],
    others: ["key", "resource_group_name", "subscription_id", "environment"],
  },
  pg: { needed: ["host", "database", "user"], others: ["port", "schema_name", "sslmode"] },
} as const;

/** Returns the external state backend that the spec or the stack selects. Returns undefined if the platform stores the state. */
export function findExternalBackend(
  { backendSecrets }: { readonly backendSecrets?: BackendSecrets },
  { stack, settings }: Pick<Subject, "stack" | "settings">,
  { payload }: DeployerTask,
): Backend | undefined {
  if (settings.backend === undefined) return stack.backend?.(payload.entity);
  return createExternalBackend(payload.entity, settings.backend, backendSecrets ?? {});
}

/** Creates the backend from `spec.infra.backend`. Throws if its type or a setting is unknown, or if a required setting is missing. */
export function createExternalBackend(
  { kind, uid }: Pick<DeployedEntity, "kind" | "uid">,
  backend: NonNullable<InfraSettings["backend"]>,
  secrets: BackendSecrets,
): Backend {
  const { type, settings } = backend;
  if (!Object.hasOwn(words, type))
    throw refuse("type", `the backend "${type}" is not supported; use ${Object.keys(words).join(", ")}`);
  const { needed, others } = words[type as keyof typeof words];
  const missing = needed.find((name) => settings[name] === undefined);
  if (missing !== undefined) throw refuse(`settings.${missing}`, `required by the backend ${type}`);
  const known: readonly string[] = [...needed, ...others];
  const stranger = Object.keys(settings).find((name) => !known.includes(name));
  if (stranger !== undefined) throw refuse(`settings.${stranger}`, `unknown setting; ${type} supports ${known.join(", ")}`);
  return createBackend(render(type as keyof typeof words, settings, `${kind.toLowerCase()}/${uid}`, secrets));
}

function render(type: keyof typeof words, settings: Settings, place: string, secrets: BackendSecrets): BackendSettings {
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
        key: settings["key"] ?? `${place}.tfstate`,
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
        prefix: settings["prefix"] ?? place,
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
        key: settings["key"] ?? `${place}.tfstate`,
        ...given({ resourceGroup: "resource_group_name", subscriptionId: "subscription_id", environment: "environment" }),
        ...secret({ accessKey: "ARM_ACCESS_KEY", sasToken: "ARM_SAS_TOKEN" }),
      };
    case "pg":
      return {
        type,
        host: text("host"),
        database: text("database"),
        user: text("user"),
        schema: settings["schema_name"] ?? place.replaceAll(/[^a-z0-9]/g, "_"),
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
