// The vertex of the sample x-drop: pairs of sequences, each extended from its seed to both sides, antidiagonal by antidiagonal.
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace {

constexpr int kSeed = 17; // bases
constexpr int kDropped = -(1 << 30);

// Bases from a place on, forwards or backwards.
struct Bases {
  const unsigned char* first;
  int count, step;
  unsigned char operator[](int i) const { return first[i * step]; }
};

// The live cells of an antidiagonal; cell i is of base i of the first sequence.
struct Antidiagonal {
  int* scores; // from `first` on
  int first, last;
  bool isEmpty() const { return last < first; }
  int at(int i) const { return i < first || i > last ? kDropped : scores[i - first]; }
};

inline int larger(int a, int b) { return a > b ? a : b; }
inline int smaller(int a, int b) { return a < b ? a : b; }

} // namespace

class XDrop : public Vertex {
public:
  Input<Vector<unsigned char>> a, b;
  Input<Vector<int>> pairs; // both lengths, then the begin of the seed in both
  Output<Vector<int>> antidiagonals, scores;
  const int drop, window; // window 0: as long as the sequences

  bool compute() {
    const unsigned char *first = &a[0], *second = &b[0];
    for (unsigned i = 0; i < scores.size(); ++i) {
      const int lengthA = pairs[4 * i], lengthB = pairs[4 * i + 1], seedA = pairs[4 * i + 2], seedB = pairs[4 * i + 3];
      const int longest = smaller(lengthA, lengthB) + 1, room = window > 0 ? smaller(window, longest) : longest;
      const int left = extend({first + seedA - 1, seedA, -1}, {second + seedB - 1, seedB, -1}, room);
      const int behindA = seedA + kSeed, behindB = seedB + kSeed;
      const int right = extend({first + behindA, lengthA - behindA, 1}, {second + behindB, lengthB - behindB, 1}, room);
      scores[i] = left + right + kSeed;
      first += lengthA;
      second += lengthB;
    }
    return true;
  }

private:
  int extend(Bases x, Bases y, int room) {
    int* const memory = &antidiagonals[0];
    const int third = antidiagonals.size() / 3;
    Antidiagonal before = {memory, 0, -1}, last = {memory + third, 0, 0}, now = {memory + 2 * third, 0, -1};
    last.scores[0] = 0;
    int best = 0;
    for (int k = 1; k <= x.count + y.count && !(before.isEmpty() && last.isEmpty()); ++k) {
      int begin = x.count + 1, end = -1; // cells with a neighbour
      if (!last.isEmpty()) begin = last.first, end = last.last + 1;
      if (!before.isEmpty()) begin = smaller(begin, before.first + 1), end = larger(end, before.last + 1);
      begin = larger(begin, k - y.count);
      end = smaller(end, smaller(x.count, k));
      const int least = best - drop;
      int bestNow = best;
      now.first = 0, now.last = -1;
      bool isLive = false, isTooWide = false;
      for (int i = begin; i <= end; ++i) {
        int score = larger(last.at(i - 1), last.at(i)) - 1;
        if (i > 0 && i < k) score = larger(score, before.at(i - 1) + (x[i - 1] == y[k - i - 1] ? 1 : -1));
        if (score < least) score = kDropped;
        if (!isLive && score == kDropped) continue;
        if (!isLive) now.first = i, isLive = true;
        if (score != kDropped) {
          now.last = i;
          isTooWide = i - now.first >= room;
        }
        if (i - now.first < room) now.scores[i - now.first] = score;
        bestNow = larger(bestNow, score);
      }
      best = bestNow;
      if (isTooWide) break;
      int* const free = before.scores;
      before = last;
      last = now;
      now.scores = free;
    }
    return best;
  }
};
