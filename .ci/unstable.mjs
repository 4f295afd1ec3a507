/** A reporter that names each test which failed and then passed at its second try: such a test is a fault that still has to be found. */
export default class Unstable {
  onTestRunEnd(modules) {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (!test.diagnostic()?.flaky) continue;
        const [first] = test.result().errors ?? [];
        const reason = first?.message.split("\n")[0] ?? "no message";
        console.log(`UNSTABLE  ${module.relativeModuleId}: ${test.fullName}: ${reason}`);
      }
    }
  }
}
