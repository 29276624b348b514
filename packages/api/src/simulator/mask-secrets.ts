import { isObject, type Json } from "@cloudwright/platform";

/** Names of attributes, and ends of such names, whose values a real cloud would treat as secrets. Keys of metadata use dashes. */
const secretNames = [
  "user_data",
  "user_data_base64",
  "custom_data",
  "startup_script",
  "password",
  "secret",
  "private_key",
  "client_key",
  "access_key",
  "connection_string",
  "kube_config",
  "kube_config_raw",
  "kube_admin_config",
  "kube_admin_config_raw",
];

/**
 * Returns the attributes of a simulated resource with secret values replaced by `[secret]`. Viewers may read the resource, but not the user
 * data of an instance or the keys of a storage account, which the API never returns.
 */
export function maskSecrets(value: Json, name = ""): Json {
  if (value === null || value === "") return value;
  const plain = name.replaceAll("-", "_");
  if (secretNames.some((secret) => plain === secret || plain.endsWith(`_${secret}`))) return "[secret]";
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskSecrets(item, key)]));
}
