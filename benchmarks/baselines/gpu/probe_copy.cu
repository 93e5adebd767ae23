// What memory can do: a thread copies two times four floats, which neighbours load side by side.
KERNEL(256) probe_copy(int n, GLOBAL const FOUR *RESTRICT from, GLOBAL FOUR *RESTRICT to) {
  int first = BLOCK * 512 + ITEM, second = first + 256;
  FOUR a, b;
  if (first < n) a = from[first];
  if (second < n) b = from[second];
  if (first < n) to[first] = a;
  if (second < n) to[second] = b;
}
