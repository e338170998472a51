// Expected digits: mpmath at 70 digits.
#include "sim/numbers/wide.hpp"

#include <stdexcept>

#include "catch.hpp"

using namespace tapalab;

namespace {

// |x - expected| in units of 2^-191 of the expected value; the strings hold 58 or more digits,
// 2^-192.
double ulps(const Wide& x, const char* expected) {
  const Wide truth(expected);
  return static_cast<double>(abs(Wide(x - truth)) / abs(truth) / wide_epsilon());
}

double ulps(const WideComplex& z, const char* re, const char* im) {
  const WideComplex truth{Wide(re), Wide(im)};
  return static_cast<double>(abs(z - truth) / abs(truth) / wide_epsilon());
}

}  // namespace

TEST_CASE("elementary functions of Wide are within a few units of 50-digit constants") {
  CHECK(ulps(wide_pi(), "3.14159265358979323846264338327950288419716939937510582097494") < 4);
  CHECK(ulps(sqrt(Wide(2)), "1.41421356237309504880168872420969807856967187537694807317668") < 4);
  CHECK(ulps(exp(Wide(1)), "2.71828182845904523536028747135266249775724709369995957496697") < 4);
  CHECK(ulps(log(Wide((1ULL << 63) - 1)),
             "43.66827237527655449317720343461657334534988571285497540092") < 8);
  CHECK(ulps(pow(Wide(10), Wide(1) / 10),
             "1.25892541179416721042395410639580060609361740946693106910792") < 8);
  CHECK(ulps(cos(Wide(1)), "0.540302305868139717400936607442976603732310420617922227670097") < 8);
}

TEST_CASE("the exponent of Wide reaches far beyond 1e-9000 with every digit kept") {
  const Wide tiny("1e-9001");
  CHECK(ulps(sqrt(tiny), "3.1622776601683793319988935444327185337195551393252168268575e-4501") < 8);
  CHECK(ldexp(Wide(1), -1000000000) > 0);
  CHECK(ldexp(ldexp(Wide(1), -2000000000), 2000000000) == 1);
}

TEST_CASE("phases reduce to a fraction of a turn without loss at distance 2^63 - 1") {
  const std::uint64_t distance = (1ULL << 63) - 1;  // 1 modulo 3
  const Wide third = Wide(distance) / 3;
  CHECK(abs(Wide(reduce_turns(third) - Wide(1) / 3)) < ldexp(Wide(1), 63 - 192));
  CHECK(abs(Wide(cos_turns(third) + Wide(0.5))) < ldexp(Wide(1), 66 - 192));
  CHECK(reduce_turns(Wide(distance) + Wide(0.25)) == Wide(0.25));
  CHECK(ulps(cos_turns(Wide(1) / 10),
             "0.809016994374947424102293417182819058860154589902881431067724") < 8);
}

TEST_CASE("the complex square root is principal and keeps the small part beside a large one") {
  CHECK(ulps(sqrt(WideComplex{Wide(1.5), Wide(-2.25)}),
             "1.449855761204884816772380362034366571218119824505245182147991476",
             "-0.7759392555471053011877738836100457403615641929453649514221771710") < 8);
  const WideComplex above = sqrt(WideComplex{Wide(-3), Wide("1e-40")});
  CHECK(ulps(above.re, "2.886751345948128822545743902509787278238008756350634380093011e-41") < 8);
  CHECK(ulps(above.im, "1.732050807568877293527446341505872366942805253810380628055806979") < 8);
  const WideComplex below = sqrt(WideComplex{Wide(-3), Wide("-1e-40")});
  CHECK(below.re == above.re);
  CHECK(below.im == -above.im);
  const WideComplex cut = sqrt(WideComplex{Wide(-4), Wide(0)});
  CHECK(cut.re == 0);
  CHECK(cut.im == 2);
  CHECK(sqrt(WideComplex{}).re == 0);
}

TEST_CASE("the complex exponential keeps its digits for moduli of 1e-9000 and angles of 1e40") {
  CHECK(ulps(exp(WideComplex{Wide(-0.75), Wide(2.5)}),
             "-0.3784334479263778746984798115976846269972388227417751177466402471485687",
             "0.282698223621909719246755229186420295037862689200131345326699318634408453549") < 16);
  CHECK(ulps(exp(WideComplex{Wide(-20723.5), Wide(0)}),
             "7.91232792030616075624325164080771914409484823957021991996802e-9001", "0") < 16);
  const Wide angle = 10000000000000000000ULL * Wide(10000000000000000000ULL) * 100;  // 1e40
  CHECK(ulps(exp(WideComplex{Wide(-5000.25), angle}),
             "-2.156926062807213544699837501773669925188267312081798583704869689092e-2172",
             "-1.494900578234870814740124098407078539487577224322329976232868550932e-2172") < 16);
  CHECK_THROWS_AS(exp(WideComplex{Wide("1e18"), Wide(0)}), std::range_error);
  CHECK_THROWS_AS(exp(WideComplex{Wide("-1e18"), Wide(0)}), std::range_error);
  CHECK_THROWS_AS(exp(WideComplex{Wide(0), ldexp(Wide(1), 256)}), std::range_error);
}

TEST_CASE("integer powers of complex numbers lose at most n units") {
  const WideComplex z{Wide(6) / 10, Wide(7) / 10};
  CHECK(
      ulps(pow(z, 1001), "-2.91421764566088739707714534665378042820344119724159515815576569643e-36",
           "3.716097154343643173029446126914853808098630228397285761090950556747e-36") < 2 * 1001);
  CHECK(pow(z, 0).re == 1);
  CHECK(pow(z, 1).im == z.im);
  CHECK(pow(WideComplex{Wide(0), Wide(1)}, ~0ULL).im == -1);  // 2^64 - 1 is 3 modulo 4
}
