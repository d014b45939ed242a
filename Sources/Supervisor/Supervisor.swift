internal import Lifecycle
