import type { ReactNode } from "react";
import type { IconName } from "../design/icons.tsx";
import type { FieldsProps } from "../kinds/create-form.ts";
import type { Fact } from "../kinds/kind-view.ts";

/** The form values for the credentials of an account in one cloud. */
export type CredentialValues = Readonly<Record<string, string>>;

/** Props of a cloud's credential fields. */
export interface CredentialFieldsProps {
  readonly values: CredentialValues;
  readonly set: (path: string, change: CredentialValues) => void;
  readonly at: FieldsProps["at"];
}

/** Everything the console's generic pages ask about a cloud. Facts that other programs need too are in the contract. */
export interface CloudView {
  readonly credentialDefaults: CredentialValues;
  /** Builds the cloud's part of an account's spec. */
  buildAccount(values: CredentialValues): object;
  /** Fields of that part that contain secrets. */
  readonly secretFields: readonly string[];
  renderCredentialFields(props: CredentialFieldsProps): ReactNode;
  /** Returns facts about the cloud's part of an account's spec. */
  listAccountFacts(account: Readonly<Record<string, unknown>>): readonly Fact[];
  /** The zones that a network can use, without their region. */
  readonly zones: readonly string[];
  /** An error message that the cloud could return, as an example for the simulator. */
  readonly sampleError: string;
  /** Icons of resource types whose names only make sense in this cloud. */
  readonly resourceIcons: readonly (readonly [type: RegExp, icon: IconName])[];
}
