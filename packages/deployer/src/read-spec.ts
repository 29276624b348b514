export { numberOf, objectOf, textOf, textsOf } from "@cloudwright/platform";
