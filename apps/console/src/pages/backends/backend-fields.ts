import { findBackendType } from "@cloudwright/contract/state-backends";

/** Fields that identify a credential but are not secret themselves. */
const openFields = ["accessKeyId"];
/** Credentials that only agents have. A backend does not store them, because they expire. */
const unstored = ["sessionToken"];

/** Returns the credential fields of a backend type that are displayed in plain text. */
export function listOpenFields(type: string): string[] {
  return Object.keys(findBackendType(type)?.variables ?? {}).filter((field) => openFields.includes(field));
}

/** Returns the secret fields of a backend type. The server never returns their values. */
export function listSecretFields(type: string): string[] {
  const all = Object.keys(findBackendType(type)?.variables ?? {});
  return all.filter((field) => !openFields.includes(field) && !unstored.includes(field));
}

/** Returns the settings of a backend type. Required settings come first. */
export function listSettings(type: string): { readonly name: string; readonly isRequired: boolean }[] {
  const { required = [], optional = [] } = findBackendType(type) ?? {};
  return [...required.map((name) => ({ name, isRequired: true })), ...optional.map((name) => ({ name, isRequired: false }))];
}

/** Returns whether a backend of this type can store states under a path that the user chooses. */
export function hasPrefix(type: string): boolean {
  return findBackendType(type)?.isLocationFixed === false;
}

/** Converts the name of a setting or field to a label: `role_arn` becomes "Role ARN". */
export function nameField(name: string): string {
  const words = name
    .replaceAll(/([A-Z])/g, "_$1")
    .toLowerCase()
    .split("_");
  const text = words.map((word) => acronyms[word] ?? word).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const acronyms: Readonly<Record<string, string>> = { arn: "ARN", dynamodb: "DynamoDB", id: "ID", kms: "KMS", sas: "SAS" };
