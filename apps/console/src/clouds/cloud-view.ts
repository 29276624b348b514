import type { IconName } from "../design/icons.tsx";
import type { Tree } from "../data/spec-paths.ts";
import type { Fact } from "../kinds/kind-view.ts";
import type { AddressPlan } from "../kinds/network/address-plan.ts";
import type { CloudWords } from "./cloud-words.ts";
import type { Option, SettingGroup, SettingValues } from "../settings/setting.ts";

/**
 * The values of the credential form. `method` is the chosen method; all other values are fields of the account's cloud-specific section.
 */
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
  /** True if several methods use this field, so its presence does not identify the method. */
  readonly isShared?: boolean;
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
  /** Names of secret fields that have no input in the form but can be entered as YAML. */
  readonly otherSecrets?: readonly string[];
  /** Fields that every method has. */
  readonly accountFields: readonly CredentialField[];
  /** Returns facts to display about the cloud-specific section of an account's spec. */
  listAccountFacts(account: Readonly<Record<string, unknown>>): readonly Fact[];
  /** Zone suffixes, such as `a`, to offer in regions that this release does not know. */
  readonly zones: readonly string[];
  /** Maximum number of zones that the network form selects by default. */
  readonly zoneCount: number;
  readonly words: CloudWords;
  readonly icon: IconName;
  /** The settings in each create form. */
  readonly settings: CloudSettings;
  /** Options for how workers reach the internet. */
  readonly egress: readonly Option[];
  /** Computes the subnets of a new network in the same way as the platform. */
  planAddresses(input: AddressInput): AddressPlan;
  /** Returns facts to display about the subnets of a network. */
  listNetworkFacts(status: Tree): readonly Fact[];
  /** An error message that the cloud could return. Used as an example in the simulator. */
  readonly sampleError: string;
  /** Icons for resource types that only this cloud has. */
  readonly resourceIcons: readonly (readonly [type: RegExp, icon: IconName])[];
}

export interface CloudSettings {
  readonly newNetwork: readonly SettingGroup[];
  readonly existingNetwork: readonly SettingGroup[];
  readonly cluster: readonly SettingGroup[];
  readonly nodePool: readonly SettingGroup[];
  readonly bucket: readonly SettingGroup[];
  readonly volume: readonly SettingGroup[];
}

/** The values of the network form that determine the subnets. */
export interface AddressInput {
  readonly cidr: string;
  readonly zones: readonly string[];
  readonly settings: SettingValues;
}
