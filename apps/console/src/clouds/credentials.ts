import { omitEmpty } from "../kinds/create-form.ts";
import type { CloudView, CredentialField, CredentialMethod, CredentialValues } from "./cloud-view.ts";

/** Returns the initial values of a cloud's credential form. */
export function startCredentials(view: CloudView | undefined): CredentialValues {
  if (view === undefined) return {};
  const fields = listFields(view).map(({ name }): [string, string] => [name, ""]);
  return { ...Object.fromEntries(fields), method: view.methods[0]?.value ?? "" };
}

/** Returns the chosen method. */
export function findMethod(view: CloudView, values: CredentialValues): CredentialMethod | undefined {
  return view.methods.find(({ value }) => value === values["method"]);
}

/** Builds the cloud-specific section of an account's spec. Values for methods other than the chosen one are left out. */
export function buildAccount(view: CloudView, values: CredentialValues): object {
  const method = findMethod(view, values);
  const fields = [...view.accountFields, ...(method?.fields ?? [])];
  return { ...method?.settings, ...omitEmpty(Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? ""]))) };
}

/** Returns the names of the fields that contain secrets. */
export function listSecretFields(view: CloudView): string[] {
  return listFields(view).flatMap(({ name, input = "text" }) => (input === "text" ? [] : [name]));
}

function listFields({ accountFields, methods }: CloudView): CredentialField[] {
  return [...accountFields, ...methods.flatMap(({ fields }) => fields)];
}
