import type { ReactNode } from "react";
import type { IconName } from "../design/icons.tsx";
import type { FieldsProps } from "../kinds/create-form.ts";
import type { Fact } from "../kinds/kind-view.ts";

export type CredentialValues = Readonly<Record<string, string>>;

export interface CredentialFieldsProps {
  readonly values: CredentialValues;
  readonly set: (path: string, change: CredentialValues) => void;
  readonly at: FieldsProps["at"];
}

/** The cloud-specific parts of the console. Facts that other programs also need are in the contract. */
export interface CloudView {
  readonly credentialDefaults: CredentialValues;
  /** Builds the cloud-specific section of an account's spec. */
  buildAccount(values: CredentialValues): object;
  /** Fields of the cloud-specific section that contain secrets. */
  readonly secretFields: readonly string[];
  renderCredentialFields(props: CredentialFieldsProps): ReactNode;
  /** Returns facts to display about the cloud-specific section of an account's spec. */
  listAccountFacts(account: Readonly<Record<string, unknown>>): readonly Fact[];
  /** The zone suffixes that a network can use, such as `a`. */
  readonly zones: readonly string[];
  /** An error message that the cloud could return. Used as an example in the simulator. */
  readonly sampleError: string;
  /** Icons for resource types that only this cloud has. */
  readonly resourceIcons: readonly (readonly [type: RegExp, icon: IconName])[];
}
