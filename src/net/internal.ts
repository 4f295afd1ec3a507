/** Which addresses are on the public internet, and requests whose keys stay with one host. */
export { sameOriginFetch } from "./same-origin-fetch.ts";
export { isPublicAddress, specialAddress } from "./special-address.ts";
