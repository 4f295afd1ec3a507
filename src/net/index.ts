/** Door `net`: which addresses are on the public internet. */
export { isPublicAddress, specialAddress } from "./special-address.ts";
