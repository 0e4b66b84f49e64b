/**
 * Runs a block under a lock, on the agent that it is called on:
 *
 *     holdfast('production') { sh './deploy.sh' }
 *     holdfast('gpu', slots: 2, timeout: '1h', ttl: '6h', store: 'tls://locks:6388') { ... }
 *
 * Each sh step is a shell of its own, so no process of the build lives as long as the lock: it is
 * detached, and ends with its ttl at the latest. The ttl must be longer than the block can take.
 */
def call(Map options = [:], String key, Closure body) {
  List settings = [
    "HOLDFAST_LOCK_KEY=${key}",
    "HOLDFAST_LOCK_STORE=${options.store ?: ''}",
    "HOLDFAST_LOCK_SLOTS=${options.slots ?: 1}",
    "HOLDFAST_LOCK_TIMEOUT=${options.timeout ?: '30m'}",
    "HOLDFAST_LOCK_TTL=${options.ttl ?: '2h'}",
    "HOLDFAST_LOCK_PACKAGE=${options.'package' ?: 'git+https://github.com/holdfast-ci/holdfast.git'}"
  ]
  String lease = ''
  withEnv(settings) {
    lease = sh(label: "Lock ${key}", script: libraryResource('holdfast/acquire.sh'), returnStdout: true).trim()
  }
  withEnv(["HOLDFAST_LEASE=${lease}"]) {
    try {
      body()
    } finally {
      sh(label: "Release ${key}", script: libraryResource('holdfast/release.sh'))
    }
  }
}
