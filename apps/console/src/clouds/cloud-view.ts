import type { IconName } from "../design/icons.tsx";
import type { Fact } from "../kinds/kind-view.ts";

/** The values of the credential form. `method` is the chosen method; all others are fields of the account's cloud-specific section. */
export type CredentialValues = Readonly<Record<string, string>>;

/** A text field of the credential form. */
export interface CredentialField {
  /** Name of the field in the cloud-specific section of the account's spec. */
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly placeholder?: string;
  /** Type of the input control. `secret-text` accepts several lines, for example a key file. */
  readonly input?: "text" | "secret" | "secret-text";
}

/** One way to authenticate to the cloud. */
export interface CredentialMethod {
  readonly value: string;
  readonly label: string;
  readonly fields: readonly CredentialField[];
  /** Settings in the account's spec that select this method, in addition to its fields. */
  readonly settings?: Readonly<Record<string, boolean>>;
}

/** The cloud-specific parts of the console. Facts that other programs also need are in the contract. */
export interface CloudView {
  /** Ways to authenticate, default first. */
  readonly methods: readonly CredentialMethod[];
  /** Fields that every method has. */
  readonly accountFields: readonly CredentialField[];
  /** Returns facts to display about the cloud-specific section of an account's spec. */
  listAccountFacts(account: Readonly<Record<string, unknown>>): readonly Fact[];
  /** The zone suffixes that a network can use, such as `a`. Empty if networks in this cloud do not depend on zones. */
  readonly zones: readonly string[];
  /** An error message that the cloud could return. Used as an example in the simulator. */
  readonly sampleError: string;
  /** Icons for resource types that only this cloud has. */
  readonly resourceIcons: readonly (readonly [type: RegExp, icon: IconName])[];
}
